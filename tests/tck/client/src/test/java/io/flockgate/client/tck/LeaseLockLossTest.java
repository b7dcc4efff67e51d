package io.flockgate.client.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.client.LeaseClosedException;
import io.flockgate.client.LeaseLock;
import io.flockgate.client.LeaseLockLostException;
import io.flockgate.client.LeaseReleaseException;
import io.flockgate.client.LeaseUnavailableException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A lock whose server is unreachable, whose lease is lost, or whose thread is interrupted. */
@Timeout(60)
// These tests are about what a lock does without a try block around it.
@SuppressWarnings("LockNotBeforeTry")
final class LeaseLockLossTest {
    @RegisterExtension
    final TwoProcesses scene = new TwoProcesses();

    private final LeaseLock lock = new LeaseLock(scene.mine(), TwoProcesses.options("job"));
    private final LeaseLock other = new LeaseLock(scene.other(), TwoProcesses.options("job"));

    private void lose() {
        scene.revoke("job");
    }

    @Test
    void aLostLockCannotBeLockedAgainByItsThread() {
        lock.lock();
        lose();

        assertThatThrownBy(lock::lock).isInstanceOf(LeaseLockLostException.class);
        assertThatThrownBy(lock::lockInterruptibly).isInstanceOf(LeaseLockLostException.class);
        assertThatThrownBy(lock::tryLock).isInstanceOf(LeaseLockLostException.class);
        assertThatThrownBy(() -> lock.tryLock(1, TimeUnit.SECONDS)).isInstanceOf(LeaseLockLostException.class);
        assertThat(lock.holdCount()).isEqualTo(1);
        assertThat(lock.isLocked()).isFalse();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
    }

    @Test
    void aLostLockHasNoFence() {
        lock.lock();
        lose();

        assertThatThrownBy(lock::fence).isInstanceOf(LeaseLockLostException.class);
    }

    @Test
    void everyUnlockOfALostLockSaysSoAndCounts() {
        lock.lock();
        lock.lock();
        lose();

        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLockLostException.class);
        assertThat(lock.holdCount()).isEqualTo(1);
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLockLostException.class);
        assertThat(lock.holdCount()).isZero();
        assertThatThrownBy(lock::unlock)
                .isInstanceOf(IllegalMonitorStateException.class)
                .isNotInstanceOf(LeaseLockLostException.class);
    }

    @Test
    void afterTheUnlockOfALostLockItsThreadMayLockAgain() {
        lock.lock();
        long lost = lock.fence().orElseThrow();
        lose();
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLockLostException.class);

        lock.lock();

        assertThat(lock.fence().orElseThrow()).isGreaterThan(lost);
        lock.unlock();
    }

    @Test
    void theUnlockOfALostLockDoesNotTouchTheNextHolder() {
        lock.lock();
        lose();
        assertThat(other.tryLock()).isTrue();

        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLockLostException.class);

        assertThat(other.isHeldByCurrentThread()).isTrue();
        assertThat(lock.tryLock()).isFalse();
    }

    @Test
    void theLockOfADeadProcessIsFreeAfterItsTime() throws Exception {
        lock.lock();
        scene.myBackend().cut();
        BackgroundCall<Boolean> waiter = BackgroundCall.start(() -> other.tryLock(1, TimeUnit.HOURS));
        scene.otherBackend().awaitQueued();
        scene.pass(TwoProcesses.TTL);

        assertThat(waiter.get()).isTrue();
        assertThat(lock.isLocked()).isFalse();
    }

    @Test
    void aHeldLockIsRenewed() {
        lock.lock();
        scene.pass(TwoProcesses.TTL.multipliedBy(5));

        assertThat(other.tryLock()).isFalse();
        lock.unlock();
        assertThat(other.tryLock()).isTrue();
    }

    @Test
    void aServerThatIsAwayIsAFailureAndNoHang() {
        scene.myBackend().cut();

        assertThatThrownBy(lock::lock).isInstanceOf(LeaseUnavailableException.class);
        assertThatThrownBy(lock::tryLock).isInstanceOf(LeaseUnavailableException.class);
        assertThatThrownBy(lock::lockInterruptibly).isInstanceOf(LeaseUnavailableException.class);
        assertThatThrownBy(() -> lock.tryLock(1, TimeUnit.SECONDS)).isInstanceOf(LeaseUnavailableException.class);
        assertThat(lock.holdCount()).isZero();
        scene.myBackend().mend();
        assertThat(lock.tryLock()).isTrue();
    }

    @Test
    void anUnlockThatTheServerDoesNotHearFreesTheThread() throws Exception {
        BackgroundCall<Integer> call = BackgroundCall.start(() -> {
            lock.lock();
            scene.myBackend().cut();
            try {
                lock.unlock();
                return -1;
            } catch (LeaseReleaseException unconfirmed) {
                return lock.holdCount();
            }
        });
        scene.myBackend().awaitRelease();
        scene.pass(TwoProcesses.TTL.dividedBy(4));

        assertThat(call.get()).isZero();
    }

    @Test
    void anInterruptedWaitLeavesNothingAndRenewsNothing() throws Exception {
        other.lock();
        BackgroundCall<Boolean> waiter = BackgroundCall.start(() -> lock.tryLock(1, TimeUnit.HOURS));
        scene.myBackend().awaitQueued();
        waiter.interrupt();
        assertThat(waiter.failure()).isInstanceOf(InterruptedException.class);
        other.unlock();

        assertThat(lock.isLocked()).isFalse();
        assertThat(other.tryLock()).isTrue();
    }

    @Test
    void anInterruptedLockInterruptiblyLeavesNothing() throws Exception {
        other.lock();
        BackgroundCall<Boolean> waiter = BackgroundCall.start(() -> {
            lock.lockInterruptibly();
            return true;
        });
        scene.myBackend().awaitQueued();
        waiter.interrupt();
        assertThat(waiter.failure()).isInstanceOf(InterruptedException.class);
        other.unlock();

        assertThat(other.tryLock()).isTrue();
    }

    @Test
    void anInterruptDoesNotEndAPlainLockAndStaysSet() throws Exception {
        other.lock();
        BackgroundCall<Boolean> waiter = BackgroundCall.start(() -> {
            Thread.currentThread().interrupt();
            lock.lock();
            boolean stillSet = Thread.interrupted();
            lock.unlock();
            return stillSet;
        });
        scene.myBackend().awaitQueued();
        other.unlock();

        assertThat(waiter.get()).isTrue();
    }

    @Test
    void failedTriesLeaveNoTimers() {
        other.lock();
        assertThat(lock.tryLock()).isFalse();
        int timers = scene.timers();

        assertThat(lock.tryLock()).isFalse();

        assertThat(scene.timers()).isEqualTo(timers);
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

    @Test
    void aStoppedProcessSeesTheLossAtTheNextLook() {
        lock.lock();
        scene.stall(TwoProcesses.TTL);

        assertThat(lock.isLocked()).isFalse();
        assertThat(lock.remaining()).isEqualTo(Duration.ZERO);
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLockLostException.class);
    }
}
