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
 * @param ticker a monotonic clock
 * @param wallClock the wall clock of this machine
 * @param scheduler runs the timers of all leases. The client's own tasks do not block it
 * @param callbackExecutor completes the stages and runs the users' handlers. Tasks on it may block
 * @param random for varied pauses
 * @param observer is notified of what happens to the leases
 * @param loggers gives the logger of a topic: {@code claims} that failed, {@code waits} that go on
 *     at another server, {@code renewals} that failed, or {@code losses}
 */
public record LeaseEnvironment(
        Ticker ticker,
        InstantSource wallClock,
        Scheduler scheduler,
        Executor callbackExecutor,
        RandomGenerator random,
        LeaseObserver observer,
        Function<String, Logger> loggers) {
    public LeaseEnvironment {
        Checks.given("ticker", ticker);
        Checks.given("wallClock", wallClock);
        Checks.given("scheduler", scheduler);
        Checks.given("callbackExecutor", callbackExecutor);
        Checks.given("random", random);
        Checks.given("observer", observer);
        Checks.given("loggers", loggers);
    }

    /** An environment without an observer, which logs to {@code io.flockgate.client.<topic>}. */
    public LeaseEnvironment(
            Ticker ticker,
            InstantSource wallClock,
            Scheduler scheduler,
            Executor callbackExecutor,
            RandomGenerator random) {
        this(
                ticker,
                wallClock,
                scheduler,
                callbackExecutor,
                random,
                LeaseObserver.NONE,
                topic -> System.getLogger("io.flockgate.client." + topic));
    }

    /** A monotonic clock. Safe from any thread. */
    @FunctionalInterface
    public interface Ticker {
        /** Nanoseconds since an arbitrary point in time; only differences are meaningful. */
        long nanos();
    }

    /** Timers. Safe from any thread. */
    @FunctionalInterface
    public interface Scheduler {
        /** Runs the task once after the delay, unless the subscription is closed first. */
        Subscription after(Duration delay, Runnable task);
    }

    /**
     * The clocks of the JVM, one daemon thread for timers, and daemon threads for callbacks, all
     * shared by the process. The threads end with their last task. They inherit no thread-locals,
     * and their context class loader is that of this library.
     */
    public static LeaseEnvironment system() {
        return Shared.ENVIRONMENT;
    }

    /** Created on first use. Random numbers come from the generator of the calling thread. */
    private static final class Shared {
        private static final ScheduledThreadPoolExecutor TIMERS = Threads.timers("flockgate-client-timers");
        private static final LeaseEnvironment ENVIRONMENT = new LeaseEnvironment(
                System::nanoTime,
                Clock.systemUTC(),
                Shared::after,
                Threads.perTask("flockgate-client-callbacks"),
                () -> ThreadLocalRandom.current().nextLong());

        private static Subscription after(Duration delay, Runnable task) {
            ScheduledFuture<?> timer = TIMERS.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
            return () -> timer.cancel(false);
        }
    }

    /** The same environment with other threads for callbacks, for example those of a framework. */
    public LeaseEnvironment callbackExecutor(Executor callbackExecutor) {
        Checks.given("callbackExecutor", callbackExecutor);
        return new LeaseEnvironment(ticker, wallClock, scheduler, callbackExecutor, random, observer, loggers);
    }

    /** The same environment with another observer, which replaces the current one. */
    public LeaseEnvironment observer(LeaseObserver observer) {
        Checks.given("observer", observer);
        return new LeaseEnvironment(ticker, wallClock, scheduler, callbackExecutor, random, observer, loggers);
    }

    /** The same environment with other loggers, for a program that reports failures itself. */
    public LeaseEnvironment loggers(Function<String, Logger> loggers) {
        Checks.given("loggers", loggers);
        return new LeaseEnvironment(ticker, wallClock, scheduler, callbackExecutor, random, observer, loggers);
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
        return new Moment(ticker.nanos(), wallClock.millis());
    }
}
