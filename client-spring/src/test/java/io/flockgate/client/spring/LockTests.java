package io.flockgate.client.spring;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterEach;

/** Locks of one key at a server in memory. The second registry stands for another process. */
abstract class LockTests {
    static final Duration MINUTE = Duration.ofMinutes(1);

    final FakeServer server = new FakeServer();
    final FlockgateLockRegistry registry = server.registry();
    final FlockgateLockRegistry second = server.registry();
    final FlockgateLock lock = registry.obtain("job");
    final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void stop() {
        threads.shutdownNow();
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
