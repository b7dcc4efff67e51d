package io.flockgate.client.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.client.LeaseClosedException;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseLock;
import io.flockgate.client.LeaseLockLostException;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseReleaseException;
import io.flockgate.client.LeaseUnavailableException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A lock with fences: one thread, several threads of one process, two processes, and losses. */
@Timeout(60)
// These tests are about what a lock does without a try block around it.
@SuppressWarnings("LockNotBeforeTry")
final class LeaseLockTest {
    enum Way {
        PLAIN,
        INTERRUPTIBLE,
        ONE_TRY,
        TIMED;

        boolean lock(LeaseLock lock) throws InterruptedException {
            switch (this) {
                case PLAIN -> lock.lock();
                case INTERRUPTIBLE -> lock.lockInterruptibly();
                case ONE_TRY -> {
                    return lock.tryLock();
                }
                case TIMED -> {
                    return lock.tryLock(Long.MAX_VALUE, TimeUnit.DAYS);
                }
            }
            return true;
        }
    }

    @RegisterExtension
    final TwoProcesses scene = new TwoProcesses();

    private final LeaseLock lock = new LeaseLock(scene.mine, TwoProcesses.options("job"));
    private final LeaseLock other = new LeaseLock(scene.other, TwoProcesses.options("job"));

    private long fence() {
        return lock.fence().orElseThrow();
    }

    private void lose() {
        scene.revoke("job");
    }

    private static <T> BackgroundCall<T> inAnotherThread(Callable<T> call) {
        return BackgroundCall.start(call);
    }

    @ParameterizedTest
    @EnumSource
    void eachWayLocksOnceWithAFence(Way way) throws Exception {
        assertThat(way.lock(lock)).isTrue();

        assertThat(lock.isLocked()).isTrue();
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        assertThat(lock.holdCount()).isEqualTo(1);
        assertThat(fence()).isPositive();
        assertThat(lock.remaining()).isPositive().isLessThan(TwoProcesses.TTL);
        assertThat(other.tryLock()).isFalse();
        assertThat(other.tryLock(0, TimeUnit.SECONDS)).isFalse();
        assertThat(other.holdCount()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void aReentryHasTheSameFenceAndIsUndoneByItsOwnUnlock(Way way) throws Exception {
        lock.lock();
        long outer = fence();

        assertThat(way.lock(lock)).isTrue();

        assertThat(fence()).isEqualTo(outer);
        assertThat(lock.holdCount()).isEqualTo(2);
        lock.unlock();
        assertThat(lock.holdCount()).isEqualTo(1);
        assertThat(fence()).isEqualTo(outer);
        assertThat(other.tryLock()).isFalse();
        lock.unlock();
        assertThat(lock.isLocked()).isFalse();
        assertThat(other.tryLock()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void aServerThatIsAwayIsAFailureAndNoHang(Way way) {
        scene.myBackend.cut();

        assertThatThrownBy(() -> way.lock(lock)).isInstanceOf(LeaseUnavailableException.class);
        assertThat(lock.holdCount()).isZero();
        scene.myBackend.mend();
        assertThat(lock.tryLock()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void aLostLockCannotBeLockedAgainByItsThreadAndHasNoFence(Way way) {
        lock.lock();
        lose();

        assertThatThrownBy(() -> way.lock(lock)).isInstanceOf(LeaseLockLostException.class);
        assertThatThrownBy(lock::fence).isInstanceOf(LeaseLockLostException.class);
        assertThat(lock.holdCount()).isEqualTo(1);
        assertThat(lock.isLocked()).isFalse();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
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
    void anotherThreadSeesThatItIsLockedAndNeitherUnlocksNorSeesTheFence() throws Exception {
        lock.lock();

        assertThat(inAnotherThread(() -> {
                            lock.unlock();
                            return "unlocked";
                        })
                        .failure())
                .isInstanceOf(IllegalMonitorStateException.class);
        assertThat(inAnotherThread(lock::fence).failure()).isInstanceOf(IllegalMonitorStateException.class);
        assertThat(inAnotherThread(lock::isLocked).get()).isTrue();
        assertThat(inAnotherThread(lock::isHeldByCurrentThread).get()).isFalse();
        assertThat(inAnotherThread(lock::holdCount).get()).isZero();
        assertThat(inAnotherThread(() -> lock.tryLock()).get()).isFalse();
        assertThat(inAnotherThread(() -> lock.tryLock(1, TimeUnit.MILLISECONDS)).get())
                .isFalse();
        assertThat(lock.isHeldByCurrentThread()).isTrue();
    }

    private static long lockedFence(LeaseLock lock) {
        lock.lock();
        try {
            return lock.fence().orElseThrow();
        } finally {
            lock.unlock();
        }
    }

    @Test
    void threadsAndProcessesThatWaitGetItAfterTheUnlockWithALargerFence() throws Exception {
        lock.lock();
        long first = fence();
        BackgroundCall<Long> thread = inAnotherThread(() -> lockedFence(lock));
        BackgroundCall<Long> process = inAnotherThread(() -> lockedFence(other));
        scene.otherBackend.awaitQueued();
        lock.unlock();

        assertThat(thread.get()).isGreaterThan(first);
        assertThat(process.get()).isGreaterThan(first);
        assertThat(lock.tryLock()).isTrue();
    }

    @Test
    void aTimedTryEndsWithoutTheLockWhenItsTimeIsOver() throws Exception {
        lock.lock();
        BackgroundCall<Boolean> waiter = inAnotherThread(() -> other.tryLock(1, TimeUnit.HOURS));
        scene.otherBackend.awaitQueued();
        scene.pass(Duration.ofHours(1));

        assertThat(waiter.get()).isFalse();
        lock.unlock();
        assertThat(lock.tryLock()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(names = {"PLAIN", "INTERRUPTIBLE", "TIMED"})
    void aWaitOutlastsTheLongestWaitOfOneClaim(Way way) throws Exception {
        lock.lock();
        BackgroundCall<Boolean> waiter = inAnotherThread(() -> way.lock(other));
        scene.otherBackend.awaitQueued();
        scene.pass(Duration.ofDays(1));
        scene.otherBackend.awaitQueued();
        lock.unlock();

        assertThat(waiter.get()).isTrue();
    }

    @Test
    void aLimitAboveOneAndConditionsAreRefused() {
        LeaseOptions two = LeaseOptions.named("job").limit(2).build();

        assertThatThrownBy(() -> new LeaseLock(scene.mine, two)).isInstanceOf(LeaseConfigException.class);
        assertThatThrownBy(lock::newCondition).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void everyUnlockOfALostLockSaysSoAndCountsAndThenItsThreadMayLockAgain() {
        lock.lock();
        lock.lock();
        long lost = fence();
        lose();

        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLockLostException.class);
        assertThat(lock.holdCount()).isEqualTo(1);
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLockLostException.class);
        assertThat(lock.holdCount()).isZero();
        assertThatThrownBy(lock::unlock)
                .isInstanceOf(IllegalMonitorStateException.class)
                .isNotInstanceOf(LeaseLockLostException.class);
        lock.lock();
        assertThat(fence()).isGreaterThan(lost);
        lock.unlock();
    }

    @Test
    void anUnlockThatTheServerDoesNotHearFreesTheThread() throws Exception {
        BackgroundCall<Integer> call = inAnotherThread(() -> {
            lock.lock();
            scene.myBackend.cut();
            try {
                lock.unlock();
                return -1;
            } catch (LeaseReleaseException unconfirmed) {
                return lock.holdCount();
            }
        });
        scene.myBackend.awaitRelease();
        scene.pass(TwoProcesses.TTL.dividedBy(4));

        assertThat(call.get()).isZero();
    }

    @ParameterizedTest
    @EnumSource(names = {"INTERRUPTIBLE", "TIMED"})
    void anInterruptedWaitLeavesNothingAndRenewsNothing(Way way) throws Exception {
        other.lock();
        BackgroundCall<Boolean> waiter = inAnotherThread(() -> way.lock(lock));
        scene.myBackend.awaitQueued();
        waiter.interrupt();
        assertThat(waiter.failure()).isInstanceOf(InterruptedException.class);
        other.unlock();

        assertThat(lock.isLocked()).isFalse();
        assertThat(other.tryLock()).isTrue();
    }

    @Test
    void anInterruptedThreadGetsNoLockInterruptibly() {
        Thread.currentThread().interrupt();

        assertThatThrownBy(lock::lockInterruptibly).isInstanceOf(InterruptedException.class);
        assertThat(lock.isLocked()).isFalse();
        assertThat(other.tryLock()).isTrue();
    }

    @Test
    void anInterruptDoesNotEndAPlainLockAndStaysSet() throws Exception {
        other.lock();
        BackgroundCall<Boolean> waiter = inAnotherThread(() -> {
            Thread.currentThread().interrupt();
            lock.lock();
            boolean stillSet = Thread.interrupted();
            lock.unlock();
            return stillSet;
        });
        scene.myBackend.awaitQueued();
        other.unlock();

        assertThat(waiter.get()).isTrue();
    }

    @Test
    void aClosedLockIsLostAndLocksNoMore() {
        lock.lock();
        lock.close();

        assertThat(other.tryLock()).isTrue();
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLockLostException.class);
        assertThatThrownBy(lock::lock).isInstanceOf(LeaseClosedException.class);
        assertThat(lock.holdCount()).isZero();
    }
}
