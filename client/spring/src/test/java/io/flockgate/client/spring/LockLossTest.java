package io.flockgate.client.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.client.LeaseUnavailableException;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.dao.CannotAcquireLockException;

/** The renewal and the loss of locks of Spring Integration, with a server in memory. */
@Timeout(60)
@SuppressWarnings("LockNotBeforeTry") // Locking and unlocking is what is tested.
final class LockLossTest extends LockTests {
    @Test
    void theUnlockOfAnExpiredLockThrowsAndCounts() {
        lock.lock();
        expireAll();

        assertThatThrownBy(lock::unlock).isInstanceOf(ConcurrentModificationException.class);

        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
        assertThat(registry.keysInUse()).isZero();
        assertThat(lock.tryLock()).isTrue();
    }

    @Test
    void anExpiredLockIsHadByAnotherProcessAndItsUnlockLeavesThatAlone() {
        lock.lock();
        expireAll();
        FlockgateLock theirs = second.obtain("job");
        assertThat(theirs.tryLock()).isTrue();

        assertThatThrownBy(lock::unlock).isInstanceOf(ConcurrentModificationException.class);

        assertThat(theirs.grant()).isPresent();
        assertThat(isFreeFor(registry)).isFalse();
    }

    @Test
    void aReentrantLockAfterTheExpiryThrowsAndDoesNotCount() {
        lock.lock();
        expireAll();

        assertThatThrownBy(lock::lock).isInstanceOf(ConcurrentModificationException.class);
        assertThatThrownBy(lock::tryLock).isInstanceOf(ConcurrentModificationException.class);
        assertThatThrownBy(lock::unlock).isInstanceOf(ConcurrentModificationException.class);

        lock.lock();
        assertThat(lock.grant()).isPresent();
    }

    @Test
    void aLockIsRenewedWhileItsProcessLives() {
        lock.lock();

        clock.advance(Duration.ofMinutes(10));

        assertThat(lock.grant()).isPresent();
        assertThat(isFreeFor(second)).isFalse();
        lock.unlock();
    }

    @Test
    void aRenewalMakesTheLockLast() {
        lock.lock();
        clock.stall(Duration.ofSeconds(20));

        registry.renewLock("job");

        assertThat(lock.grant().orElseThrow().remaining()).isGreaterThan(Duration.ofSeconds(20));
    }

    @Test
    void aRenewalMayAskForATime() {
        lock.lock();
        clock.stall(Duration.ofSeconds(9));
        registry.renewLock("job", Duration.ofSeconds(5));
        assertThat(lock.grant().orElseThrow().remaining()).isLessThan(Duration.ofSeconds(20));

        registry.renewLock("job", MINUTE);

        assertThat(lock.grant().orElseThrow().remaining()).isGreaterThan(Duration.ofSeconds(20));
        assertThatThrownBy(() -> registry.renewLock("job", Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aRenewalNeedsTheLock() throws Exception {
        assertThatThrownBy(() -> registry.renewLock("job")).isInstanceOf(IllegalStateException.class);
        lock.lock();

        assertThatThrownBy(() -> onThread(() -> {
                    registry.renewLock("job");
                    return true;
                }))
                .hasCauseInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> second.renewLock("job")).isInstanceOf(IllegalStateException.class);
        expireAll();
        assertThatThrownBy(() -> registry.renewLock("job")).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aRenewalThatIsNotConfirmedThrows() {
        lock.lock();
        clock.stall(Duration.ofSeconds(20));
        backend.cut();

        assertThatThrownBy(() -> registry.renewLock("job")).isInstanceOf(LeaseUnavailableException.class);

        assertThat(lock.grant()).isPresent();
    }

    @Test
    void aRevokedLockIsLost() {
        lock.lock();

        server.revoke("job");

        assertThat(lock.grant()).isEmpty();
        assertThat(lock.fence()).isEmpty();
        assertThatThrownBy(lock::unlock).isInstanceOf(ConcurrentModificationException.class);
    }

    @Test
    void aServerThatIsAwayIsAFailureAndNotContention() {
        backend.cut();

        assertThatThrownBy(lock::lock)
                .isInstanceOf(CannotAcquireLockException.class)
                .hasCauseInstanceOf(LeaseUnavailableException.class);
        assertThatThrownBy(lock::tryLock).isInstanceOf(CannotAcquireLockException.class);

        assertThat(registry.keysInUse()).isZero();
        backend.mend();
        assertThat(lock.tryLock()).isTrue();
    }
}
