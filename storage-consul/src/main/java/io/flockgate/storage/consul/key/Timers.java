package io.flockgate.storage.consul.key;

import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Runs short tasks later, on one thread. Thread safe. */
public final class Timers implements AutoCloseable {
    private final ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("consul-timers").factory());

    public Timers() {
        thread.setRemoveOnCancelPolicy(true);
    }

    /** Runs a task that does not block after this many nanoseconds; what it gives back takes that back. */
    public Runnable after(long nanos, Runnable task) {
        try {
            Future<?> timer = thread.schedule(task, nanos, TimeUnit.NANOSECONDS);
            return () -> timer.cancel(false);
        } catch (RejectedExecutionException e) {
            return () -> {};
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
