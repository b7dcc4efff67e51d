package io.flockgate.storage.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Ending;
import io.flockgate.storage.Grant;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.Refusal;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.Ticket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

abstract class QueueCases extends StorageCases {
    QueueCases(StorageHarness harness) {
        super(harness);
    }

    @Test
    @DisplayName("serves in the order in which it was joined")
    void firstComeFirstServed() {
        Holding holder = hold(Claims.lock(KEY));
        List<Waiting> queue = queueUp(5);

        for (int served = 0; served < 5; served++) {
            release(holder);
            holder = queue.get(served).awaitGrant();
            expect(KEY, 1, 4 - served);
            assertThat(queue.subList(served + 1, 5)).noneMatch(Waiting::granted);
        }
    }

    @Test
    @DisplayName("is overtaken by no newcomer")
    void noOvertaking() {
        Holding first = hold(Claims.lock(KEY));
        Waiting waiting = queue(Claims.lock(KEY));
        Waiting newcomer = queue(Claims.lock(KEY));
        assertThat(refusal(Claims.notQueueing(Claims.lock(KEY)))).isEqualTo(Refusal.BUSY);

        release(first);
        assertThat(refusal(Claims.notQueueing(Claims.lock(KEY)))).isEqualTo(Refusal.BUSY);

        stillHeld(waiting.awaitGrant());
        assertThat(newcomer.granted()).isFalse();
    }

    @Test
    @DisplayName("is joined through every gateway, and served in one order")
    void acrossGateways() {
        Holding holder = hold(Claims.lock(KEY));
        LockStorage other = peer();
        List<Waiting> queue = List.of(
                queue(other, Claims.lock(KEY)),
                queue(Claims.lock(KEY)),
                queue(other, Claims.lock(KEY)),
                queue(Claims.lock(KEY)));

        for (Waiting waiting : queue) {
            release(holder);
            holder = waiting.awaitGrant();
        }
        release(holder);
    }

    @Test
    @DisplayName("tells each waiter of its grant once")
    void toldOnce() {
        Holding holder = hold(Claims.lock(KEY));
        List<Waiting> queue = queueUp(5);
        for (Waiting waiting : queue) {
            release(holder);
            holder = waiting.awaitGrant();
        }
        release(holder);

        assertThat(queue).allMatch(each -> each.claimant().grants() == 1);
        expect(KEY, 0, 0);
    }

    @Test
    @DisplayName("may hold several places of one claimant, each with its own ticket")
    void severalPlacesOfOne() {
        Holding holder = hold(Claims.lock(KEY));
        RecordingClaimant claimant = claimant();
        Waiting first = place(claimant);
        Waiting second = place(claimant);
        expect(KEY, 1, 2);

        release(holder);
        Holding granted = first.awaitGrant();
        assertThat(claimant.grants()).isEqualTo(1);
        release(granted);

        assertThat(second.awaitGrant().token()).isNotEqualTo(granted.token());
    }

    private Waiting place(RecordingClaimant claimant) {
        ClaimOutcome outcome = claim(storage(), Claims.lock(KEY), claimant);
        assertThat(outcome).isInstanceOf(ClaimOutcome.Queued.class);
        return new Waiting(claimant, ((ClaimOutcome.Queued) outcome).ticket());
    }

    @Test
    @DisplayName("of one key holds up no other key")
    void onlyItsKey() {
        hold(Claims.lock(KEY));
        queue(Claims.lock(KEY));

        Holding other = hold(Claims.lock(OTHER_KEY));
        release(other);

        expect(KEY, 1, 1);
        expect(OTHER_KEY, 0, 0);
    }

    @Test
    @DisplayName("keeps its order when leases and releases take turns")
    void mixedEndings() {
        Holding first = hold(Claims.lasting(1, Claims.lock(KEY)));
        Waiting second = queue(Claims.lock(KEY));
        Waiting third = queue(Claims.lasting(1, Claims.lock(KEY)));
        Waiting fourth = queue(Claims.lock(KEY));

        passSeconds(1);
        Holding holder = second.awaitGrant();
        assertThat(third.granted()).isFalse();
        release(holder);
        assertThat(third.awaitGrant().ending()).isNull();
        assertThat(fourth.granted()).isFalse();
        passSeconds(1);

        stillHeld(fourth.awaitGrant());
        assertThat(first.awaitEnd()).isEqualTo(Ending.EXPIRED);
    }

    @Test
    @DisplayName("of many is served in order to its end")
    void ofMany() {
        Holding holder = hold(Claims.lock(KEY));
        List<Waiting> queue = queueUp(harness.many() / 4);

        long fence = holder.fence();
        for (Waiting waiting : queue) {
            release(holder);
            holder = waiting.awaitGrant();
            assertThat(Long.compareUnsigned(holder.fence(), fence)).isPositive();
            fence = holder.fence();
        }
        release(holder);

        expect(KEY, 0, 0);
    }

    /** A grant that is told under a lock of the storage could not be released by a call from inside. */
    @Test
    @DisplayName("may be passed through by claimants that release while they are told")
    void releasedWhileTold() {
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
        Holding holder = hold(Claims.lock(KEY));
        CountDownLatch released = new CountDownLatch(many);
        LockStorage storage = storage();
        for (int i = 0; i < many; i++) {
            ClaimOutcome outcome =
                    Await.result(storage.claim(Claims.lock(KEY), new Hasty(storage, executor, released)));
            assertThat(outcome).isInstanceOf(ClaimOutcome.Queued.class);
        }

        release(holder);

        Await.await(released, "the release of every grant");
        expect(KEY, 0, 0);
    }

    /** A claimant that has gone when its grant comes. */
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
        public void ended(Grant grant, Ending ending) {}
    }

    private List<Waiting> queueUp(int many) {
        List<Waiting> queue = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            queue.add(queue(Claims.lock(KEY)));
        }
        return queue;
    }
}
