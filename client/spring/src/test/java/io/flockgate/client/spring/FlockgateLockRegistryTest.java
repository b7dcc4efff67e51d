package io.flockgate.client.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.client.LeaseConfigException;
import java.io.File;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Locks of Spring Integration, with a server in memory. */
@Timeout(60)
@SuppressWarnings("LockNotBeforeTry") // Locking and unlocking is what is tested.
final class FlockgateLockRegistryTest extends LockTests {
    @Test
    void aLockIsHeldUntilItsUnlock() {
        lock.lock();
        assertThat(isFreeFor(second)).isFalse();

        lock.unlock();

        assertThat(isFreeFor(second)).isTrue();
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
        assertThat(isFreeFor(second)).isTrue();
    }

    @Test
    void aLockIsReentrant() throws Exception {
        lock.lock();
        long fence = lock.fence().orElseThrow();
        lock.lockInterruptibly();
        assertThat(lock.tryLock()).isTrue();
        assertThat(lock.tryLock(1, TimeUnit.SECONDS)).isTrue();
        assertThat(lock.tryLock(MINUTE, MINUTE)).isTrue();

        for (int inner = 0; inner < 4; inner++) {
            lock.unlock();
            assertThat(lock.fence()).hasValue(fence);
            assertThat(isFreeFor(second)).isFalse();
        }
        lock.unlock();

        assertThat(isFreeFor(second)).isTrue();
        assertThat(backend.ttls()).as("claims of the first process").hasSize(1);
    }

    @Test
    void twoKeysAreIndependent() {
        lock.lock();
        Lock other = registry.obtain("other");

        assertThat(other.tryLock()).isTrue();

        other.unlock();
        lock.unlock();
    }

    @Test
    void aSecondThreadIsRefused() throws Exception {
        lock.lock();

        assertThat(onThread(() -> registry.obtain("job").tryLock())).isFalse();
        assertThat(onThread(() -> registry.obtain("job").tryLock(1, TimeUnit.MILLISECONDS)))
                .isFalse();

        lock.unlock();
        assertThat(registry.keysInUse()).isZero();
    }

    @Test
    void anotherThreadCannotUnlock() throws Exception {
        lock.lock();

        assertThatThrownBy(() -> onThread(() -> {
                    lock.unlock();
                    return true;
                }))
                .hasCauseInstanceOf(IllegalMonitorStateException.class);

        assertThat(lock.grant()).isPresent();
        assertThat(onThread(() -> lock.grant().isPresent())).isFalse();
    }

    @Test
    void anUnlockWithoutALockThrows() {
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void anUnlockWakesAThreadOfAnotherProcess() throws Exception {
        lock.lock();
        Future<Boolean> waiter = threads.submit(() -> {
            second.obtain("job").lock();
            return true;
        });
        secondBackend.awaitQueued();
        assertThat(waiter.isDone()).isFalse();

        lock.unlock();

        assertThat(waiter.get(30, TimeUnit.SECONDS)).isTrue();
        assertThat(lock.tryLock()).isFalse();
    }

    @Test
    void anInterruptEndsAWaitAndNothingIsHeld() throws Exception {
        lock.lock();
        Future<?> waiter = threads.submit(() -> {
            second.obtain("job").lockInterruptibly();
            return true;
        });
        secondBackend.awaitQueued();

        waiter.cancel(true);
        threads.shutdown();
        assertThat(threads.awaitTermination(30, TimeUnit.SECONDS)).isTrue();

        assertThat(second.keysInUse()).isZero();
        lock.unlock();
        assertThat(isFreeFor(registry)).isTrue();
    }

    @Test
    void aLockWaitsThroughInterrupts() throws Exception {
        lock.lock();
        Future<Boolean> waiter = threads.submit(() -> {
            Thread.currentThread().interrupt();
            second.obtain("job").lock();
            return Thread.interrupted();
        });
        secondBackend.awaitQueued();

        lock.unlock();

        assertThat(waiter.get(30, TimeUnit.SECONDS)).as("still interrupted").isTrue();
    }

    @Test
    void anInterruptedUnlockWaitsForTheServer() throws Exception {
        Future<Boolean> unlock = threads.submit(() -> {
            FlockgateLock theirs = second.obtain("job");
            theirs.lock();
            secondBackend.holdCalls();
            Thread.currentThread().interrupt();
            theirs.unlock();
            return Thread.interrupted();
        });
        secondBackend.awaitRelease();
        assertThat(lock.tryLock()).isFalse();
        assertThat(unlock.isDone()).isFalse();

        secondBackend.sendHeldCalls();

        assertThat(unlock.get(30, TimeUnit.SECONDS)).as("still interrupted").isTrue();
        assertThat(lock.tryLock()).isTrue();
    }

    @Test
    void fencesRiseOverAllProcesses() {
        long last = 0;
        for (FlockgateLockRegistry process : List.of(registry, second, registry)) {
            FlockgateLock next = process.obtain("job");
            next.lock();
            assertThat(next.fence().orElseThrow()).isGreaterThan(last);
            last = next.fence().orElseThrow();
            next.unlock();
        }
    }

    @Test
    void threadsOfTwoProcessesTakeTurns() throws Exception {
        int[] counter = new int[1];
        List<Future<?>> workers = new ArrayList<>();
        for (FlockgateLockRegistry process : List.of(registry, second, registry, second)) {
            workers.add(threads.submit(() -> {
                for (int turn = 0; turn < 50; turn++) {
                    process.executeLocked("counter", () -> counter[0]++);
                }
                return true;
            }));
        }
        for (Future<?> worker : workers) {
            worker.get(30, TimeUnit.SECONDS);
        }

        assertThat(counter[0]).isEqualTo(200);
        assertThat(registry.keysInUse() + second.keysInUse()).isZero();
        assertThat(clock.pendingTimers()).isZero();
    }

    @Test
    void aTaskThatGetsNoLockInTimeIsNotRun() {
        lock.lock();

        assertThatThrownBy(() -> onThread(() -> {
                    registry.executeLocked("job", Duration.ofMillis(1), () -> {});
                    return true;
                }))
                .hasCauseInstanceOf(TimeoutException.class);
    }

    @Test
    void oneKeyHasOneLock() {
        assertThat(registry.obtain("job")).isEqualTo(lock).hasSameHashCodeAs(lock);
        assertThat(registry.obtain("other")).isNotEqualTo(lock);
        assertThat(second.obtain("job")).isNotEqualTo(lock);
    }

    @Test
    void aHeldKeyIsNeverForgottenAndIdleKeysAre() {
        lock.lock();
        for (int key = 0; key < 1000; key++) {
            Lock other = registry.obtain(key);
            other.lock();
            other.unlock();
        }

        assertThat(registry.keysInUse()).isEqualTo(1);
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
    void thereAreNoConditions() {
        assertThatThrownBy(lock::newCondition).isInstanceOf(UnsupportedOperationException.class);
    }
}
