package io.flockgate.client.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseLock;
import io.flockgate.client.LeaseOptions;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A lock with fences: one thread, several threads of one process, and two processes. */
@Timeout(60)
// These tests are about what a lock does without a try block around it.
@SuppressWarnings("LockNotBeforeTry")
final class LeaseLockTest {
    @RegisterExtension
    final TwoProcesses scene = new TwoProcesses();

    private final LeaseLock lock = new LeaseLock(scene.mine(), TwoProcesses.options("job"));
    private final LeaseLock other = new LeaseLock(scene.other(), TwoProcesses.options("job"));

    private long fence() {
        return lock.fence().orElseThrow();
    }

    private static <T> BackgroundCall<T> inAnotherThread(Callable<T> call) {
        return BackgroundCall.start(call);
    }

    @Test
    void aFreeLockIsLockedOnceWithAFence() {
        lock.lock();

        assertThat(lock.isLocked()).isTrue();
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        assertThat(lock.holdCount()).isEqualTo(1);
        assertThat(fence()).isPositive();
        assertThat(lock.remaining()).isPositive().isLessThan(TwoProcesses.TTL);
    }

    @Test
    void aFreeLockIsLockedInterruptibly() throws Exception {
        lock.lockInterruptibly();

        assertThat(lock.isHeldByCurrentThread()).isTrue();
    }

    @Test
    void anInterruptedThreadGetsNoLockInterruptibly() {
        Thread.currentThread().interrupt();

        assertThatThrownBy(lock::lockInterruptibly).isInstanceOf(InterruptedException.class);
        assertThat(lock.isLocked()).isFalse();
        assertThat(other.tryLock()).isTrue();
    }

    @Test
    void aReentryHasTheSameFenceAndCountsTwo() throws Exception {
        lock.lock();
        long outer = fence();

        lock.lock();
        assertThat(fence()).isEqualTo(outer);
        assertThat(lock.holdCount()).isEqualTo(2);
        assertThat(lock.tryLock()).isTrue();
        assertThat(lock.tryLock(1, TimeUnit.SECONDS)).isTrue();
        lock.lockInterruptibly();
        assertThat(lock.holdCount()).isEqualTo(5);
        assertThat(fence()).isEqualTo(outer);
    }

    @Test
    void anInnerUnlockKeepsTheFence() {
        lock.lock();
        lock.lock();
        long outer = fence();

        lock.unlock();

        assertThat(lock.holdCount()).isEqualTo(1);
        assertThat(fence()).isEqualTo(outer);
        assertThat(other.tryLock()).isFalse();
        lock.unlock();
        assertThat(lock.isLocked()).isFalse();
        assertThat(other.tryLock()).isTrue();
    }

    @Test
    void anotherLockHasALargerFence() {
        lock.lock();
        long first = fence();
        lock.unlock();
        lock.lock();

        assertThat(fence()).isGreaterThan(first);
    }

    @Test
    void aFreeLockHasNeitherUnlockNorFence() {
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
        assertThatThrownBy(lock::fence).isInstanceOf(IllegalMonitorStateException.class);
        assertThat(lock.isLocked()).isFalse();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(lock.holdCount()).isZero();
        assertThat(lock.remaining()).isZero();
    }

    @Test
    void anotherThreadNeitherUnlocksNorSeesTheFence() throws Exception {
        lock.lock();

        assertThat(inAnotherThread(() -> {
                            lock.unlock();
                            return "unlocked";
                        })
                        .failure())
                .isInstanceOf(IllegalMonitorStateException.class);
        assertThat(inAnotherThread(lock::fence).failure()).isInstanceOf(IllegalMonitorStateException.class);

        assertThat(lock.isHeldByCurrentThread()).isTrue();
    }

    @Test
    void anotherThreadSeesThatItIsLockedAndNotByItself() throws Exception {
        lock.lock();

        assertThat(inAnotherThread(lock::isLocked).get()).isTrue();
        assertThat(inAnotherThread(lock::isHeldByCurrentThread).get()).isFalse();
        assertThat(inAnotherThread(lock::holdCount).get()).isZero();
        assertThat(inAnotherThread(() -> lock.tryLock()).get()).isFalse();
        assertThat(inAnotherThread(() -> lock.tryLock(1, TimeUnit.MILLISECONDS)).get())
                .isFalse();
    }

    @Test
    void anotherThreadOfThisProcessGetsItAfterTheUnlockWithALargerFence() throws Exception {
        lock.lock();
        long first = fence();
        BackgroundCall<Long> waiter = inAnotherThread(() -> {
            lock.lock();
            try {
                return fence();
            } finally {
                lock.unlock();
            }
        });
        lock.unlock();

        assertThat(waiter.get()).isGreaterThan(first);
    }

    @Test
    void anotherProcessIsRefusedWhileItIsLocked() throws Exception {
        lock.lock();

        assertThat(other.tryLock()).isFalse();
        assertThat(other.tryLock(0, TimeUnit.SECONDS)).isFalse();
        assertThat(other.holdCount()).isZero();
    }

    @Test
    void anotherProcessWaitsAndGetsALargerFence() throws Exception {
        lock.lock();
        long first = fence();
        BackgroundCall<Long> waiter = inAnotherThread(() -> {
            other.lock();
            try {
                return other.fence().orElseThrow();
            } finally {
                other.unlock();
            }
        });
        scene.otherBackend().awaitQueued();
        lock.unlock();

        assertThat(waiter.get()).isGreaterThan(first);
        assertThat(lock.tryLock()).isTrue();
    }

    @Test
    void aTimedTryEndsWithoutTheLockWhenItsTimeIsOver() throws Exception {
        lock.lock();
        BackgroundCall<Boolean> waiter = inAnotherThread(() -> other.tryLock(1, TimeUnit.HOURS));
        scene.otherBackend().awaitQueued();
        scene.pass(Duration.ofHours(1));

        assertThat(waiter.get()).isFalse();
        lock.unlock();
        assertThat(lock.tryLock()).isTrue();
    }

    @Test
    void aTimeBeyondTheLongestWaitIsWaitedInSteps() throws Exception {
        assertOutlastsTheLongestWait(() -> other.tryLock(Long.MAX_VALUE, TimeUnit.DAYS));
    }

    @Test
    void aWaitForEverOutlastsTheLongestWait() throws Exception {
        assertOutlastsTheLongestWait(() -> {
            other.lock();
            return true;
        });
    }

    private void assertOutlastsTheLongestWait(Callable<Boolean> wait) throws Exception {
        lock.lock();
        BackgroundCall<Boolean> waiter = inAnotherThread(wait);
        scene.otherBackend().awaitQueued();
        scene.pass(Duration.ofDays(1));
        scene.otherBackend().awaitQueued();
        lock.unlock();

        assertThat(waiter.get()).isTrue();
    }

    @Test
    void aLimitAboveOneIsRefused() {
        LeaseOptions two = LeaseOptions.named("job").limit(2).build();

        assertThatThrownBy(() -> new LeaseLock(scene.mine(), two)).isInstanceOf(LeaseConfigException.class);
    }

    @Test
    void thereAreNoConditions() {
        assertThatThrownBy(lock::newCondition).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void threadsOfTwoProcessesExcludeEachOther() throws Exception {
        int[] counter = {0};
        CountDownLatch start = new CountDownLatch(1);
        @SuppressWarnings({"unchecked", "rawtypes"})
        BackgroundCall<Integer>[] threads = new BackgroundCall[8];
        for (int i = 0; i < threads.length; i++) {
            LeaseLock its = i % 2 == 0 ? lock : other;
            threads[i] = inAnotherThread(() -> {
                start.await();
                for (int turn = 0; turn < 50; turn++) {
                    its.lock();
                    try {
                        counter[0]++;
                    } finally {
                        its.unlock();
                    }
                }
                return its.holdCount();
            });
        }
        start.countDown();
        for (BackgroundCall<Integer> thread : threads) {
            thread.get();
        }

        assertThat(counter[0]).isEqualTo(8 * 50);
    }
}
