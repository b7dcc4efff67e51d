package io.flockgate.client;

import io.flockgate.client.concurrent.Threads;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/** The environment outside tests. Its threads are daemons, started on first use. */
final class SystemEnvironment {
    static final LeaseEnvironment INSTANCE = create();

    private SystemEnvironment() {}

    private static LeaseEnvironment create() {
        ScheduledThreadPoolExecutor timers = new ScheduledThreadPoolExecutor(1, daemons("flockgate-client-timers"));
        timers.setRemoveOnCancelPolicy(true);
        Executor callbacks = Threads.perTask("flockgate-client-callbacks");
        // A dedicated generator would be shared by threads; this one uses that of the calling
        // thread.
        RandomGenerator random = () -> ThreadLocalRandom.current().nextLong();
        return new LeaseEnvironment(
                System::nanoTime, Clock.systemUTC(), (delay, task) -> after(timers, delay, task), callbacks, random);
    }

    private static Subscription after(ScheduledThreadPoolExecutor timers, Duration delay, Runnable task) {
        ScheduledFuture<?> timer = timers.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
        return () -> timer.cancel(false);
    }

    private static ThreadFactory daemons(String name) {
        return task -> {
            Thread thread = Executors.defaultThreadFactory().newThread(task);
            thread.setName(name);
            thread.setDaemon(true);
            return thread;
        };
    }
}
