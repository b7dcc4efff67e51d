package io.flockgate.storage.consul.environment;

import java.security.SecureRandom;
import java.time.Instant;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The environment of a process: Java's threads, and a monotonic clock. Tests override what they
 * observe. Thread safe.
 */
public class SystemEnvironment implements Environment {
    private static final Logger LOG = LoggerFactory.getLogger(SystemEnvironment.class);
    private static final SecureRandom RANDOM = new SecureRandom();

    private final LongSupplier clock;
    private final ScheduledThreadPoolExecutor timers = new ScheduledThreadPoolExecutor(1, daemon("consul-timers"));

    /** An environment with Java's monotonic clock. */
    public SystemEnvironment() {
        this(System::nanoTime);
    }

    public SystemEnvironment(LongSupplier clock) {
        this.clock = clock;
        timers.setRemoveOnCancelPolicy(true);
    }

    private static ThreadFactory daemon(String name) {
        return Thread.ofPlatform().daemon().name(name).factory();
    }

    @Override
    public long now() {
        return clock.getAsLong();
    }

    @Override
    public long timeOfDay() {
        Instant now = Instant.now();
        return TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
    }

    @Override
    public void sleep(long nanos) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(nanos);
    }

    @Override
    public Thread start(String name, Runnable task) {
        return Thread.ofVirtual().name(name).start(task);
    }

    @Override
    public Timer after(long nanos, Runnable task) {
        try {
            Future<?> timer = timers.schedule(() -> guarded("timer", task), nanos, TimeUnit.NANOSECONDS);
            return () -> timer.cancel(false);
        } catch (RejectedExecutionException e) {
            // Closed, so nothing is due any longer.
            return () -> {};
        }
    }

    @Override
    public Timer repeat(String name, long nanos, Runnable task) {
        ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(daemon(name));
        Future<?> unused = thread.scheduleWithFixedDelay(() -> guarded(name, task), nanos, nanos, TimeUnit.NANOSECONDS);
        return thread::shutdownNow;
    }

    /**
     * Logs the failure of a task, which would otherwise be lost and end the repetition of the task.
     */
    private static void guarded(String name, Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            LOG.atError().addKeyValue("thread", name).setCause(e).log("unexpected failure of a task");
        }
    }

    @Override
    public RandomGenerator random() {
        return RANDOM;
    }

    @Override
    public void close() {
        timers.shutdownNow();
    }
}
