package io.flockgate.client.spring;

import io.flockgate.client.Flockgate;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.MemoryBackend;
import io.flockgate.client.tck.ManualBackend;
import io.flockgate.client.tck.ManualEnvironment;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterEach;

/** Locks of one key on a server in memory. The second registry represents another process. */
abstract class LockTests {
    static final Duration MINUTE = Duration.ofMinutes(1);

    final ManualEnvironment clock = new ManualEnvironment();
    final MemoryBackend server = new MemoryBackend(clock.environment());
    final ManualBackend backend = new ManualBackend(server);
    final ManualBackend secondBackend = new ManualBackend(server);
    final LeaseProvider leases = Flockgate.provider(backend, clock.environment());
    final FlockgateLockRegistry registry = new FlockgateLockRegistry(leases);
    final FlockgateLockRegistry second =
            new FlockgateLockRegistry(Flockgate.provider(secondBackend, clock.environment()));
    final FlockgateLock lock = registry.obtain("job");
    final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    /** The processes stall until their leases have ended, and renew nothing meanwhile. */
    void expireAll() {
        clock.stall(Duration.ofDays(1));
        clock.advance(Duration.ofSeconds(1));
    }

    <T> T onThread(Callable<T> call) throws Exception {
        return threads.submit(call).get(30, TimeUnit.SECONDS);
    }

    static boolean isFreeFor(FlockgateLockRegistry other) {
        Lock theirs = other.obtain("job");
        boolean free = theirs.tryLock();
        if (free) {
            theirs.unlock();
        }
        return free;
    }
}
