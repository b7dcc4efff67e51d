package io.flockgate.storage.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.ClaimOutcome.Refusal;
import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

abstract class HeldKeyCases extends StorageCases {
    @Test
    @DisplayName("is busy to a claim that does not want to queue, through any gateway, of which nothing stays")
    void isBusy() {
        HeldGrant holding = hold(TestClaims.lock(KEY));

        assertThat(refusal(TestClaims.notQueueing(TestClaims.lock(KEY)))).isEqualTo(Refusal.BUSY);
        assertThat(claim(peer(), TestClaims.notQueueing(TestClaims.lock(KEY)), claimant()))
                .isEqualTo(Refusal.BUSY);

        expect(KEY, 1, 0);
        stillHeld(holding);
    }

    @Test
    @DisplayName("passes to the next claim with its release, and notifies its holder, before that is answered")
    void passesOn() {
        HeldGrant first = hold(TestClaims.lock(KEY));
        QueuedClaim next = queue(TestClaims.lock(KEY));
        assertThat(next.ticket().key()).isEqualTo(KEY);
        expect(KEY, 1, 1);

        release(first);
        assertThat(first.ending()).isEqualTo(Ending.RELEASED);
        expect(KEY, 1, 0);
        HeldGrant second = next.awaitGrant();
        assertThat(second.grant().key()).isEqualTo(KEY);
        assertThat(second.token()).isNotEqualTo(first.token());
        stillHeld(second);
        release(second);
        assertThat(second.ending()).isEqualTo(Ending.RELEASED);
        expect(KEY, 0, 0);
    }

    @Test
    @DisplayName("is released by whoever has the token, through any gateway")
    void releasedThroughAnotherGateway() {
        HeldGrant holding = hold(TestClaims.lock(KEY));
        QueuedClaim next = queue(TestClaims.lock(KEY));

        assertThat(Await.result(peer().release(KEY, holding.token()))).isEqualTo(ReleaseOutcome.RELEASED);

        assertThat(holding.awaitEnd()).isEqualTo(Ending.RELEASED);
        stillHeld(next.awaitGrant());
    }

    @Test
    @DisplayName("is held to its own holder too")
    void isNotReentrant() {
        HeldGrant first = hold(TestClaims.lock(KEY));

        QueuedClaim again = queue(storage(), TestClaims.lock(KEY), first.claimant());
        release(first);
        HeldGrant second = again.awaitGrant();
        stillHeld(second);
        expect(KEY, 1, 0);
    }

    @Test
    @DisplayName("is released once when many release it at the same time")
    void releasedOnce() {
        HeldGrant holding = hold(TestClaims.lock(KEY));
        QueuedClaim next = queue(TestClaims.lock(KEY));

        var outcomes = Concurrently.run(4, i -> tryRelease(holding));

        assertThat(outcomes).containsOnlyOnce(ReleaseOutcome.RELEASED);
        stillHeld(next.awaitGrant());
        expect(KEY, 1, 0);
    }
}
