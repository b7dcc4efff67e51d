package io.flockgate.client;

import io.flockgate.client.support.Threads;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/**
 * The clocks, timers, threads and randomness of leases; tests supply their own.
 *
 * @param timers a monotonic clock, and the timers of all leases. The client's own tasks do not
 *     block them
 * @param wallClock the wall clock of this machine
 * @param callbackExecutor completes the stages and runs the users' handlers. Tasks on it may block
 * @param random for varied pauses
 * @param observer is notified of what happens to the leases
 * @param loggers gives the logger of a topic: {@code claims} that failed, {@code waits} that go on
 *     at another server, {@code renewals} that failed, or {@code losses}
 */
public record LeaseEnvironment(
        Timers timers,
        InstantSource wallClock,
        Executor callbackExecutor,
        RandomGenerator random,
        LeaseObserver observer,
        Function<String, Logger> loggers) {
    /** Random numbers come from the generator of the calling thread. */
    private static final LeaseEnvironment SYSTEM = new LeaseEnvironment(
            new SystemTimers(),
            Clock.systemUTC(),
            Threads.perTask("flockgate-client-callbacks"),
            () -> ThreadLocalRandom.current().nextLong());

    public LeaseEnvironment {
        Checks.given("timers", timers);
        Checks.given("wallClock", wallClock);
        Checks.given("callbackExecutor", callbackExecutor);
        Checks.given("random", random);
        Checks.given("observer", observer);
        Checks.given("loggers", loggers);
    }

    /** An environment without an observer, which logs to {@code io.flockgate.client.<topic>}. */
    public LeaseEnvironment(Timers timers, InstantSource wallClock, Executor callbackExecutor, RandomGenerator random) {
        this(
                timers,
                wallClock,
                callbackExecutor,
                random,
                LeaseObserver.NONE,
                topic -> System.getLogger("io.flockgate.client." + topic));
    }

    /** A monotonic clock, and timers that run by it. Safe from any thread. */
    public interface Timers {
        /** Nanoseconds since an arbitrary point in time; only differences are meaningful. */
        long nanos();

        /** Runs the task once after the delay, unless the subscription is closed first. */
        Subscription after(Duration delay, Runnable task);
    }

    /**
     * The clocks of the JVM, one daemon thread for timers, and daemon threads for callbacks, all
     * shared by the process. The threads end with their last task. They inherit no thread-locals,
     * and their context class loader is that of this library.
     */
    public static LeaseEnvironment system() {
        return SYSTEM;
    }

    private static final class SystemTimers implements Timers {
        private final ScheduledThreadPoolExecutor thread = Threads.timers("flockgate-client-timers");

        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public Subscription after(Duration delay, Runnable task) {
            ScheduledFuture<?> timer = thread.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
            return () -> timer.cancel(false);
        }
    }

    /** The same environment with other threads for callbacks, for example those of a framework. */
    public LeaseEnvironment callbackExecutor(Executor callbackExecutor) {
        Checks.given("callbackExecutor", callbackExecutor);
        return new LeaseEnvironment(timers, wallClock, callbackExecutor, random, observer, loggers);
    }

    /** The same environment with another observer, which replaces the current one. */
    public LeaseEnvironment observer(LeaseObserver observer) {
        Checks.given("observer", observer);
        return new LeaseEnvironment(timers, wallClock, callbackExecutor, random, observer, loggers);
    }

    /** The same environment with other loggers, for a program that reports failures itself. */
    public LeaseEnvironment loggers(Function<String, Logger> loggers) {
        Checks.given("loggers", loggers);
        return new LeaseEnvironment(timers, wallClock, callbackExecutor, random, observer, loggers);
    }

    /** The logger of a topic. */
    public Logger logger(String topic) {
        return loggers.apply(Checks.given("topic", topic));
    }

    /** Notifies the observer. An exception of it is logged, and has no other effect. */
    public void report(Consumer<LeaseObserver> news) {
        Checks.given("news", news);
        try {
            news.accept(observer);
        } catch (RuntimeException | Error thrown) {
            System.getLogger("io.flockgate.client").log(Level.ERROR, "an observer of leases failed", thrown);
        }
    }

    Moment now() {
        return new Moment(timers.nanos(), wallClock.millis());
    }
}
