package io.flockgate.client.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.client.Flockgate;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.client.MemoryBackend;
import io.flockgate.client.tck.ManualBackend;
import io.flockgate.client.tck.ManualEnvironment;
import java.io.File;
import java.time.Duration;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.dao.CannotAcquireLockException;

/**
 * What locks of Spring Integration add to a {@code LeaseLock}, with a server in memory. The second
 * registry represents another process.
 */
@Timeout(60)
@SuppressWarnings("LockNotBeforeTry") // Locking and unlocking is what is tested.
final class FlockgateLockRegistryTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final ManualEnvironment clock = new ManualEnvironment();
    private final MemoryBackend server = new MemoryBackend(clock.environment());
    private final ManualBackend backend = new ManualBackend(server);
    private final LeaseProvider leases = Flockgate.provider(backend, clock.environment());
    private final FlockgateLockRegistry registry = new FlockgateLockRegistry(leases);
    private final FlockgateLockRegistry second =
            new FlockgateLockRegistry(Flockgate.provider(new ManualBackend(server), clock.environment()));
    private final FlockgateLock lock = registry.obtain("job");
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    /** The processes stall until their leases have ended, and renew nothing meanwhile. */
    private void expireAll() {
        clock.stall(Duration.ofDays(1));
        clock.advance(Duration.ofSeconds(1));
    }

    private <T> T onThread(Callable<T> call) throws Exception {
        return threads.submit(call).get(30, TimeUnit.SECONDS);
    }

    private boolean isFreeForTheSecond() {
        Lock theirs = second.obtain("job");
        boolean free = theirs.tryLock();
        if (free) {
            theirs.unlock();
        }
        return free;
    }

    @Test
    void aLockMayHaveATimeToLiveOfItsOwn() throws Exception {
        lock.lock(MINUTE);
        lock.unlock();
        assertThat(lock.tryLock(Duration.ZERO, Duration.ofSeconds(10))).isTrue();
        lock.unlock();
        lock.lock();

        assertThat(backend.ttls()).containsExactly(MINUTE, Duration.ofSeconds(10), Duration.ofSeconds(30));
    }

    @Test
    void aTimeToLiveThatCannotWorkIsRefusedAndNothingIsHeld() {
        assertThatThrownBy(() -> lock.lock(Duration.ZERO)).isInstanceOf(LeaseConfigException.class);
        assertThatThrownBy(() -> lock.tryLock(Duration.ZERO, Duration.ofDays(2)))
                .isInstanceOf(LeaseConfigException.class);

        assertThat(registry.keysInUse()).isZero();
        assertThat(isFreeForTheSecond()).isTrue();
    }

    @Test
    void aLockIsReentrantAndHeldUntilItsLastUnlock() throws Exception {
        lock.lock();
        long fence = lock.fence().orElseThrow();
        lock.lockInterruptibly();
        assertThat(lock.tryLock()).isTrue();
        assertThat(lock.tryLock(1, TimeUnit.SECONDS)).isTrue();
        assertThat(lock.tryLock(MINUTE, MINUTE)).isTrue();

        for (int inner = 0; inner < 4; inner++) {
            lock.unlock();
            assertThat(lock.fence()).hasValue(fence);
            assertThat(isFreeForTheSecond()).isFalse();
        }
        lock.unlock();

        assertThat(isFreeForTheSecond()).isTrue();
        assertThat(backend.ttls()).as("claims of the first process").hasSize(1);
    }

    @Test
    void aSecondThreadIsRefusedAndCannotUnlock() throws Exception {
        lock.lock();
        assertThat(onThread(() -> registry.obtain("job").tryLock())).isFalse();
        assertThat(onThread(() -> registry.obtain("job").tryLock(1, TimeUnit.MILLISECONDS)))
                .isFalse();
        assertThatThrownBy(() -> onThread(() -> {
                    lock.unlock();
                    return true;
                }))
                .hasCauseInstanceOf(IllegalMonitorStateException.class);
        assertThat(onThread(() -> lock.grant().isPresent())).isFalse();
        assertThat(lock.grant()).isPresent();

        lock.unlock();

        assertThat(registry.keysInUse()).isZero();
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
        assertThatThrownBy(lock::newCondition).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void threadsOfTwoProcessesTakeTurns() throws Exception {
        int[] counter = new int[1];
        List<Future<?>> workers = new ArrayList<>();
        for (FlockgateLockRegistry process : List.of(registry, second, registry, second)) {
            workers.add(threads.submit(() -> {
                for (int turn = 0; turn < 50; turn++) {
                    process.executeLocked("counter", () -> counter[0]++);
                    process.executeLocked("counter", MINUTE, () -> counter[0]++);
                }
                return true;
            }));
        }
        for (Future<?> worker : workers) {
            worker.get(30, TimeUnit.SECONDS);
        }

        assertThat(counter[0]).isEqualTo(400);
        assertThat(registry.keysInUse() + second.keysInUse()).isZero();
        assertThat(clock.pendingTimers()).isZero();
    }

    @Test
    void aHeldKeyHasOneLockAndIsNeverForgottenAndIdleKeysAre() {
        lock.lock();
        for (int key = 0; key < 1000; key++) {
            Lock other = registry.obtain(key);
            other.lock();
            other.unlock();
        }

        assertThat(registry.keysInUse()).isEqualTo(1);
        assertThat(registry.obtain("job")).isEqualTo(lock).hasSameHashCodeAs(lock);
        assertThat(registry.obtain("other")).isNotEqualTo(lock);
        assertThat(second.obtain("job")).isNotEqualTo(lock);
        assertThat(registry.obtain("job").grant()).isPresent();
        registry.obtain("job").unlock();
        assertThat(registry.keysInUse()).isZero();
    }

    @Test
    void keysWithoutANameAreRefused() {
        assertThatThrownBy(() -> registry.obtain("two words")).isInstanceOf(LeaseConfigException.class);
        assertThatThrownBy(() -> registry.obtain("")).isInstanceOf(LeaseConfigException.class);
        assertThatThrownBy(() -> registry.obtain(new Object()))
                .isInstanceOf(LeaseConfigException.class)
                .hasMessageContaining("naming");
    }

    @Test
    void namesHaveAPrefixAndMayBeChosen() {
        LockSettings settings = LockSettings.defaults().prefix("app/");
        UUID uuid = UUID.randomUUID();

        assertThat(new FlockgateLockRegistry(leases, settings).obtain(uuid).name())
                .isEqualTo("app/" + uuid);
        assertThat(new FlockgateLockRegistry(
                                leases,
                                settings.naming(key -> ((File) key).getName().replace(' ', '_')))
                        .obtain(new File("a file"))
                        .name())
                .isEqualTo("app/a_file");
        assertThatThrownBy(() -> settings.prefix("two words")).isInstanceOf(LeaseConfigException.class);
        assertThatThrownBy(() -> settings.ttl(Duration.ZERO)).isInstanceOf(LeaseConfigException.class);
    }

    @Test
    void afterALossALockThrowsAndDoesNotCountAndAnUnlockThrowsAndCounts() {
        lock.lock();
        server.revoke("job");

        assertThat(lock.grant()).isEmpty();
        assertThat(lock.fence()).isEmpty();
        assertThatThrownBy(lock::lock).isInstanceOf(ConcurrentModificationException.class);
        assertThatThrownBy(lock::tryLock).isInstanceOf(ConcurrentModificationException.class);
        assertThatThrownBy(lock::unlock).isInstanceOf(ConcurrentModificationException.class);

        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
        assertThat(registry.keysInUse()).isZero();
        lock.lock();
        assertThat(lock.grant()).isPresent();
    }

    @Test
    void aRenewalMakesTheLockLastForTheTimeThatItAsksFor() {
        lock.lock();
        clock.stall(Duration.ofSeconds(9));
        registry.renewLock("job", Duration.ofSeconds(5));
        assertThat(lock.grant().orElseThrow().remaining()).isLessThan(Duration.ofSeconds(20));

        registry.renewLock("job", MINUTE);

        assertThat(lock.grant().orElseThrow().remaining()).isGreaterThan(Duration.ofSeconds(20));
        clock.stall(Duration.ofSeconds(20));
        registry.renewLock("job");
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
    void aServerThatIsAwayIsAFailureAndNotContention() {
        lock.lock();
        clock.stall(Duration.ofSeconds(20));
        backend.cut();
        assertThatThrownBy(() -> registry.renewLock("job")).isInstanceOf(LeaseUnavailableException.class);
        assertThat(lock.grant()).isPresent();
        FlockgateLock other = registry.obtain("other");

        assertThatThrownBy(other::lock)
                .isInstanceOf(CannotAcquireLockException.class)
                .hasCauseInstanceOf(LeaseUnavailableException.class);
        assertThatThrownBy(other::tryLock).isInstanceOf(CannotAcquireLockException.class);

        assertThat(registry.keysInUse()).isEqualTo(1);
        backend.mend();
        assertThat(other.tryLock()).isTrue();
    }
}
