package io.flockgate.storage.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome.Refusal;
import io.flockgate.storage.KeyAdministration.LimitOutcome;
import io.flockgate.storage.KeyDetail;
import io.flockgate.storage.KeySummary;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

abstract class LimitCases extends StorageCases {
    @Test
    @DisplayName("grants its new slots to waiters at once, and is that of new claims")
    void upwards() {
        HeldGrant holder = hold(TestClaims.semaphore(KEY, 1));
        QueuedClaim first = queue(TestClaims.semaphore(KEY, 1));
        QueuedClaim second = queue(TestClaims.semaphore(KEY, 1));
        QueuedClaim third = queue(TestClaims.semaphore(KEY, 1));

        assertThat(setLimit(storage(), KEY, 3)).isEqualTo(LimitOutcome.CHANGED);

        expect(KEY, 3, 1);
        stillHeld(holder);
        stillHeld(first.awaitGrant());
        stillHeld(second.awaitGrant());
        assertThat(third.granted()).isFalse();
        assertThat(shownLimit()).isEqualTo(3);
        assertThat(refusal(TestClaims.semaphore(KEY, 1))).isEqualTo(Refusal.LIMIT_MISMATCH);
        queue(TestClaims.semaphore(KEY, 3));
        release(holder);
        stillHeld(third.awaitGrant());
    }

    @Test
    @DisplayName("has no more grants than slots until enough holders have gone")
    void downwards() {
        Claim claim = TestClaims.semaphore(KEY, 3);
        HeldGrant first = hold(claim);
        HeldGrant second = hold(claim);
        HeldGrant third = hold(claim);
        QueuedClaim waiting = queue(claim);

        assertThat(setLimit(storage(), KEY, 1)).isEqualTo(LimitOutcome.CHANGED);

        release(first);
        release(second);
        expect(KEY, 1, 1);
        assertThat(waiting.granted()).isFalse();
        stillHeld(third);
        release(third);
        stillHeld(waiting.awaitGrant());
        assertThat(refusal(TestClaims.notQueueing(TestClaims.semaphore(KEY, 1))))
                .isEqualTo(Refusal.BUSY);
        expect(KEY, 1, 0);
    }

    @Test
    @DisplayName("may be set through another gateway, regardless of its holders and waiters")
    void throughAnotherGateway() {
        HeldGrant holder = hold(TestClaims.semaphore(KEY, 1));
        QueuedClaim waiting = queue(TestClaims.semaphore(KEY, 1));

        assertThat(setLimit(peer(), KEY, 2)).isEqualTo(LimitOutcome.CHANGED);

        stillHeld(waiting.awaitGrant());
        stillHeld(holder);
        expect(KEY, 2, 0);
    }

    @Test
    @DisplayName("changes neither a lock nor a key that does not exist")
    void ofASemaphoreOnly() {
        HeldGrant lock = hold(TestClaims.lock(KEY));

        assertThat(setLimit(storage(), KEY, 2)).isEqualTo(LimitOutcome.NO_SEMAPHORE);
        assertThat(setLimit(storage(), OTHER_KEY, 2)).isEqualTo(LimitOutcome.NO_KEY);

        assertThat(refusal(TestClaims.notQueueing(TestClaims.lock(KEY)))).isEqualTo(Refusal.BUSY);
        stillHeld(lock);
        assertThat(exists(OTHER_KEY)).isFalse();
    }

    private long shownLimit() {
        return detail(KEY).map(KeyDetail::summary).map(KeySummary::limit).orElseThrow();
    }
}
