package io.flockgate.client.tck;

import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.LeaseEnvironment.Timers;
import io.flockgate.client.Subscription;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Clocks and timers that a test moves by hand. Callbacks run at once, on the thread that causes
 * them. The two clocks can also be moved without the timers, as a stalled process or a suspended
 * machine does. Thread safe, though timers run on the thread that moves the clock.
 */
public final class ManualEnvironment implements Timers {
    private record Timer(long at, long number, Runnable task) {}

    private final PriorityQueue<Timer> timers =
            new PriorityQueue<>(Comparator.comparingLong(Timer::at).thenComparingLong(Timer::number));
    private final LeaseEnvironment environment = new LeaseEnvironment(this, this::wall, Runnable::run, new Random(42));
    private long nanos = 1_000_000_000L;
    private long wallMillis = Instant.parse("2026-01-01T00:00:00Z").toEpochMilli();
    private long restOfMillisecond;
    private long scheduled;

    /** The environment to pass to a provider. */
    public LeaseEnvironment environment() {
        return environment;
    }

    /** Lets this time pass on both clocks, and runs each timer when it is due. */
    public void advance(Duration time) {
        long end = nanos() + time.toNanos();
        for (Timer due = due(end); due != null; due = due(end)) {
            moveTo(Math.max(due.at, nanos()));
            due.task.run();
        }
        moveTo(end);
    }

    /**
     * Moves both clocks without running a timer, as if the process had been stopped. The timers run
     * at the next {@link #advance}.
     */
    public void stall(Duration time) {
        moveTo(nanos() + time.toNanos());
    }

    /**
     * Moves only the wall clock, forward or back, as on a suspended machine or when the clock is
     * set.
     */
    public synchronized void jumpWall(Duration time) {
        wallMillis += time.toMillis();
    }

    /** The number of timers that have not run, to find leaks. */
    public synchronized int pendingTimers() {
        return timers.size();
    }

    private synchronized @Nullable Timer due(long end) {
        Timer first = timers.peek();
        return first != null && first.at <= end ? timers.poll() : null;
    }

    private synchronized void moveTo(long time) {
        long passed = restOfMillisecond + time - nanos;
        nanos = time;
        wallMillis += passed / 1_000_000;
        restOfMillisecond = passed % 1_000_000;
    }

    @Override
    public synchronized long nanos() {
        return nanos;
    }

    private synchronized Instant wall() {
        return Instant.ofEpochMilli(wallMillis);
    }

    @Override
    public synchronized Subscription after(Duration delay, Runnable task) {
        Timer timer = new Timer(nanos + delay.toNanos(), scheduled++, task);
        timers.add(timer);
        return () -> {
            synchronized (this) {
                timers.remove(timer);
            }
        };
    }
}
