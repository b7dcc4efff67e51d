package io.flockgate.storage.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.KeyAdministration.EvictOutcome;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.flockgate.storage.LockStorage.RenewOutcome;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

abstract class EvictionCases extends StorageCases {
    @Test
    @DisplayName("is free, and its holder learns who freed it")
    void endsTheGrant() {
        HeldGrant holder = hold(TestClaims.lock(KEY));

        assertThat(evict(holder)).isEqualTo(EvictOutcome.EVICTED);

        assertThat(holder.ending()).isEqualTo(Ending.EVICTED);
        assertThat(evict(holder)).isEqualTo(EvictOutcome.NOT_HELD);
        assertThat(tryRenew(holder, 1)).isEqualTo(RenewOutcome.NOT_HELD);
        assertThat(tryRelease(holder)).isEqualTo(ReleaseOutcome.NOT_HELD);
        expect(KEY, 0, 0);
        hold(TestClaims.lock(KEY));
        assertThat(Await.result(storage().evict(OTHER_KEY, 1, true))).isEqualTo(EvictOutcome.NOT_HELD);
        assertThat(exists(OTHER_KEY)).isFalse();
    }

    @Test
    @DisplayName("goes to the next waiter before the call is answered")
    void grantsTheNext() {
        HeldGrant holder = hold(TestClaims.lock(KEY));
        QueuedClaim first = queue(TestClaims.lock(KEY));
        QueuedClaim second = queue(TestClaims.lock(KEY));

        assertThat(evict(holder)).isEqualTo(EvictOutcome.EVICTED);

        expect(KEY, 1, 1);
        HeldGrant next = first.awaitGrant();
        stillHeld(next);
        assertThat(next.fence()).isGreaterThan(holder.fence());
        assertThat(second.granted()).isFalse();
    }

    @Test
    @DisplayName("is not that of a grant with another fence")
    void otherFence() {
        HeldGrant holder = hold(TestClaims.lock(KEY));

        for (long fence : List.of(0L, -1L, holder.fence() + 1, holder.token().salt())) {
            assertThat(Await.result(storage().evict(KEY, fence, true))).isEqualTo(EvictOutcome.FENCE_MISMATCH);
        }

        stillHeld(holder);
    }

    @Test
    @DisplayName("of a semaphore touches no other slot")
    void oneSlotOnly() {
        HeldGrant first = hold(TestClaims.semaphore(KEY, 3));
        HeldGrant second = hold(TestClaims.semaphore(KEY, 3));
        HeldGrant third = hold(TestClaims.semaphore(KEY, 3));
        QueuedClaim waiting = queue(TestClaims.semaphore(KEY, 3));

        assertThat(evict(second)).isEqualTo(EvictOutcome.EVICTED);
        assertThat(evict(second)).isEqualTo(EvictOutcome.FENCE_MISMATCH);

        assertThat(second.ending()).isEqualTo(Ending.EVICTED);
        stillHeld(first);
        stillHeld(third);
        stillHeld(waiting.awaitGrant());
        expect(KEY, 3, 0);
    }

    @Test
    @DisplayName("has ended before when its lease is over")
    void leaseOver() {
        HeldGrant holder = hold(TestClaims.lasting(1, TestClaims.lock(KEY)));
        QueuedClaim waiting = queue(TestClaims.lock(KEY));
        harness.passUnnoticed(Duration.ofSeconds(1));

        assertThat(evict(holder)).isEqualTo(EvictOutcome.FENCE_MISMATCH);

        assertThat(holder.awaitEnd()).isEqualTo(Ending.EXPIRED);
        stillHeld(waiting.awaitGrant());
    }

    @Test
    @DisplayName("may be that of a detached client")
    void detached() {
        HeldGrant holder = hold(storage(), TestClaims.lock(KEY), claimant(true));
        QueuedClaim waiting = queue(TestClaims.lock(KEY));

        assertThat(evict(holder)).isEqualTo(EvictOutcome.EVICTED);

        assertThat(holder.ending()).isEqualTo(Ending.EVICTED);
        stillHeld(waiting.awaitGrant());
    }

    @Test
    @DisplayName("may be that of another gateway, which learns it")
    void throughAnotherGateway() {
        HeldGrant holder = hold(TestClaims.lock(KEY));
        QueuedClaim waiting = queue(TestClaims.lock(KEY));
        HeldGrant slot = hold(TestClaims.semaphore(OTHER_KEY, 2));
        HeldGrant other = hold(TestClaims.semaphore(OTHER_KEY, 2));

        LockStorage peer = peer();
        assertThat(Await.result(peer.evict(KEY, holder.fence(), false))).isEqualTo(EvictOutcome.EVICTED);
        assertThat(Await.result(peer.evict(OTHER_KEY, slot.fence(), false))).isEqualTo(EvictOutcome.EVICTED);

        assertThat(holder.awaitEnd()).isEqualTo(Ending.EVICTED);
        assertThat(slot.awaitEnd()).isEqualTo(Ending.EVICTED);
        stillHeld(waiting.awaitGrant());
        stillHeld(other);
        assertThat(tryRenew(holder, 1)).isEqualTo(RenewOutcome.NOT_HELD);
        expect(KEY, 1, 0);
        expect(OTHER_KEY, 1, 0);
    }

    @Test
    @DisplayName("while its holder releases it is freed once")
    void whileBeingReleased() {
        for (int round = 0; round < harness.many() / 20; round++) {
            HeldGrant holder = hold(TestClaims.lock(KEY));
            QueuedClaim first = queue(TestClaims.lock(KEY));
            QueuedClaim second = queue(TestClaims.lock(KEY));

            List<Object> outcomes = Concurrently.run(2, i -> i == 0 ? tryRelease(holder) : evict(holder));

            boolean released = outcomes.getFirst() == ReleaseOutcome.RELEASED;
            assertThat(outcomes.get(1)).isEqualTo(released ? EvictOutcome.FENCE_MISMATCH : EvictOutcome.EVICTED);
            assertThat(holder.ending()).isEqualTo(released ? Ending.RELEASED : Ending.EVICTED);
            expect(KEY, 1, 1);
            release(first.awaitGrant());
            release(second.awaitGrant());
        }
    }
}
