package io.flockgate.storage.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome.Held;
import io.flockgate.storage.ClaimOutcome.Refusal;
import io.flockgate.storage.Kind;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

abstract class SemaphoreCases extends StorageCases {
    @Test
    @DisplayName("has as many holders as its limit and no more")
    void upToItsLimit() {
        Claim claim = TestClaims.semaphore(KEY, 3);
        for (int i = 1; i <= 3; i++) {
            assertThat(hold(claim).grant().kind()).isEqualTo(Kind.SEMAPHORE);
            expect(KEY, i, 0);
        }

        assertThat(refusal(TestClaims.notQueueing(claim))).isEqualTo(Refusal.BUSY);
        QueuedClaim waiting = queue(claim);

        expect(KEY, 3, 1);
        assertThat(waiting.granted()).isFalse();
    }

    @Test
    @DisplayName("has no more holders than its limit when many claim it at the same time")
    void upToItsLimitUnderRaces() {
        Claim claim = TestClaims.notQueueing(TestClaims.semaphore(KEY, 3));

        assertThat(raced(Held.class, i -> claim)).isEqualTo(3);
        expect(KEY, 3, 0);
    }

    @Test
    @DisplayName("frees the one slot whose token is given, whichever it is")
    void releasesOneSlot() {
        List<HeldGrant> holdings = new ArrayList<>(holdAll(12));
        assertThat(holdings.stream().map(each -> each.grant().salt())).doesNotHaveDuplicates();
        for (int each : new int[] {5, 0, 9, 3, 7}) {
            release(holdings.remove(each));
            expect(KEY, holdings.size(), 0);
        }

        holdings.forEach(this::stillHeld);
        assertThat(hold(TestClaims.semaphore(KEY, 12)).grant()).isNotNull();
    }

    @Test
    @DisplayName("passes two freed slots to the first two of its queue, in their order")
    void passesTwoSlotsOn() {
        List<HeldGrant> holdings = holdAll(2);
        QueuedClaim head = queue(TestClaims.semaphore(KEY, 2));
        QueuedClaim second = queue(TestClaims.semaphore(KEY, 2));
        QueuedClaim third = queue(TestClaims.semaphore(KEY, 2));

        holdings.forEach(this::release);

        assertThat(Long.compareUnsigned(
                        head.awaitGrant().fence(), second.awaitGrant().fence()))
                .isNegative();
        assertThat(third.granted()).isFalse();
        expect(KEY, 2, 1);
    }

    @Test
    @DisplayName("lets one claimant have several slots")
    void severalSlotsOfOne() {
        RecordingClaimant claimant = claimant();
        Claim claim = TestClaims.semaphore(KEY, 2);

        assertThat(claim(storage(), claim, claimant)).isInstanceOf(Held.class);
        assertThat(claim(storage(), claim, claimant)).isInstanceOf(Held.class);

        expect(KEY, 2, 0);
    }

    @Test
    @DisplayName("may have any limit that a long can say")
    void anyLimit() {
        HeldGrant one = hold(TestClaims.semaphore(KEY, Long.MAX_VALUE));
        HeldGrant other = hold(TestClaims.semaphore(KEY, Long.MAX_VALUE));

        stillHeld(one);
        release(other);
        expect(KEY, 1, 0);
    }

    private List<HeldGrant> holdAll(int limit) {
        List<HeldGrant> holdings = new ArrayList<>();
        for (int i = 0; i < limit; i++) {
            holdings.add(hold(TestClaims.semaphore(KEY, limit)));
        }
        return holdings;
    }
}
