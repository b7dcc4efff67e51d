package io.flockgate.storage.consul.session;

import io.flockgate.storage.consul.api.FakeClock;
import io.flockgate.storage.consul.api.FakeCluster;
import io.flockgate.storage.consul.api.FakeConsul;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.environment.Environment.Timer;
import io.flockgate.storage.consul.environment.SystemEnvironment;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;

/**
 * The sessions of one gateway on a stand-in for Consul. Both clocks of the gateway stand still
 * until a test moves them; Consul's runs.
 */
abstract class SessionBed {
    static final Duration TTL = Duration.ofSeconds(10);

    final FakeClock clock = new FakeClock();
    final AtomicLong timeOfDay = new AtomicLong();
    final FakeCluster consul = new FakeCluster();
    final FakeConsul link = new FakeConsul(consul);
    final Set<String> lost = ConcurrentHashMap.newKeySet();

    /** The number of times that each timer has run. */
    final Map<String, Integer> rounds = new ConcurrentHashMap<>();

    /** The longest pause of each thread, in nanoseconds. */
    final Map<Thread, Long> pauses = new ConcurrentHashMap<>();

    /** Whether sessions that start now are not renewed by themselves. */
    volatile boolean withoutUpkeep;

    /** Throws when the gateway must not have sessions. */
    volatile Runnable precondition = () -> {};

    /** Receives the sessions that are lost. */
    volatile Consumer<Set<String>> listener = lost::addAll;

    final Environment environment = new SystemEnvironment(clock::nanos) {
        @Override
        public long timeOfDay() {
            return timeOfDay.get();
        }

        @Override
        public void sleep(long nanos) throws InterruptedException {
            pauses.merge(Thread.currentThread(), nanos, Math::max);
            super.sleep(Math.min(nanos, 1_000_000));
        }

        @Override
        public Timer repeat(String name, long nanos, Runnable task) {
            return withoutUpkeep
                    ? () -> {}
                    : super.repeat(name, nanos, () -> {
                        task.run();
                        rounds.merge(name, 1, Integer::sum);
                    });
        }
    };

    final Sessions sessions =
            new Sessions(environment, link, "test", TTL, () -> precondition.run(), ids -> listener.accept(ids));

    @AfterEach
    void close() {
        link.failNone();
        sessions.close();
    }

    /** Starts, and returns the session that holds locks and tickets. */
    String started() {
        sessions.start();
        return sessions.lockSession();
    }
}
