package io.flockgate.storage.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.ClaimOutcome.Refusal;
import io.flockgate.storage.ClaimOutcome.Ticket;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

abstract class QueueCases extends StorageCases {
    @Test
    @DisplayName("serves in the order in which it was joined, and notifies each waiter of its grant once")
    void firstComeFirstServed() {
        HeldGrant holder = hold(TestClaims.lock(KEY));
        List<QueuedClaim> queue = queueUp(5);

        for (int served = 0; served < 5; served++) {
            release(holder);
            holder = queue.get(served).awaitGrant();
            expect(KEY, 1, 4 - served);
            assertThat(queue.subList(served + 1, 5)).noneMatch(QueuedClaim::granted);
        }
        release(holder);
        assertThat(queue).allMatch(each -> each.claimant().grants() == 1);
        expect(KEY, 0, 0);
    }

    @Test
    @DisplayName("is overtaken by no newcomer")
    void noOvertaking() {
        HeldGrant first = hold(TestClaims.lock(KEY));
        QueuedClaim waiting = queue(TestClaims.lock(KEY));
        QueuedClaim newcomer = queue(TestClaims.lock(KEY));
        assertThat(refusal(TestClaims.notQueueing(TestClaims.lock(KEY)))).isEqualTo(Refusal.BUSY);

        release(first);
        assertThat(refusal(TestClaims.notQueueing(TestClaims.lock(KEY)))).isEqualTo(Refusal.BUSY);

        stillHeld(waiting.awaitGrant());
        assertThat(newcomer.granted()).isFalse();
    }

    @Test
    @DisplayName("is joined through every gateway, and served in one order")
    void acrossGateways() {
        HeldGrant holder = hold(TestClaims.lock(KEY));
        LockStorage other = peer();
        List<QueuedClaim> queue = List.of(
                queue(other, TestClaims.lock(KEY)),
                queue(TestClaims.lock(KEY)),
                queue(other, TestClaims.lock(KEY)),
                queue(TestClaims.lock(KEY)));

        for (QueuedClaim waiting : queue) {
            release(holder);
            holder = waiting.awaitGrant();
        }
        release(holder);
    }

    @Test
    @DisplayName("may hold several places of one claimant, each with its own ticket")
    void severalPlacesOfOne() {
        HeldGrant holder = hold(TestClaims.lock(KEY));
        RecordingClaimant claimant = claimant();
        QueuedClaim first = queue(storage(), TestClaims.lock(KEY), claimant);
        QueuedClaim second = queue(storage(), TestClaims.lock(KEY), claimant);
        expect(KEY, 1, 2);

        release(holder);
        HeldGrant granted = first.awaitGrant();
        assertThat(claimant.grants()).isEqualTo(1);
        release(granted);

        assertThat(second.awaitGrant().token()).isNotEqualTo(granted.token());
    }

    @Test
    @DisplayName("keeps its order when leases and releases take turns")
    void mixedEndings() {
        HeldGrant first = hold(TestClaims.lasting(1, TestClaims.lock(KEY)));
        QueuedClaim second = queue(TestClaims.lock(KEY));
        QueuedClaim third = queue(TestClaims.lasting(1, TestClaims.lock(KEY)));
        QueuedClaim fourth = queue(TestClaims.lock(KEY));

        passSeconds(1);
        HeldGrant holder = second.awaitGrant();
        assertThat(third.granted()).isFalse();
        release(holder);
        assertThat(third.awaitGrant().ending()).isNull();
        assertThat(fourth.granted()).isFalse();
        passSeconds(1);

        stillHeld(fourth.awaitGrant());
        assertThat(first.awaitEnd()).isEqualTo(Ending.EXPIRED);
    }

    /**
     * A claimant notified under a lock of the storage could not release its grant during the
     * notification.
     */
    @Test
    @DisplayName("may be passed through by claimants that release while they are notified")
    void releasedWhileNotified() {
        passesThrough(5, Runnable::run);
    }

    @Test
    @DisplayName("of many may be passed through by claimants that have another thread release at once")
    void releasedAtOnce() {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            passesThrough(harness.many(), thread);
        } finally {
            thread.shutdown();
        }
    }

    private void passesThrough(int many, Executor executor) {
        HeldGrant holder = hold(TestClaims.lock(KEY));
        CountDownLatch released = new CountDownLatch(many);
        LockStorage storage = storage();
        for (int i = 0; i < many; i++) {
            ClaimOutcome outcome =
                    Await.result(storage.claim(TestClaims.lock(KEY), new Hasty(storage, executor, released)));
            assertThat(outcome).isInstanceOf(ClaimOutcome.Queued.class);
        }

        release(holder);

        Await.await(released, "the release of every grant");
        expect(KEY, 0, 0);
    }

    /** A claimant that has disconnected by the time of its grant. */
    private record Hasty(LockStorage storage, Executor executor, CountDownLatch released) implements Claimant {
        @Override
        public long id() {
            return 7;
        }

        @Override
        public void granted(Ticket ticket, Grant grant) {
            executor.execute(() -> release(grant));
        }

        private void release(Grant grant) {
            storage.release(grant.key(), grant.token()).onSuccess(outcome -> {
                if (outcome == ReleaseOutcome.RELEASED) {
                    released.countDown();
                }
            });
        }

        @Override
        public void removed(Ticket ticket) {
            throw new AssertionError("no operator removes this claim");
        }

        @Override
        public void ended(Grant grant, Ending ending) {}
    }

    private List<QueuedClaim> queueUp(int many) {
        List<QueuedClaim> queue = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            queue.add(queue(TestClaims.lock(KEY)));
        }
        return queue;
    }
}
