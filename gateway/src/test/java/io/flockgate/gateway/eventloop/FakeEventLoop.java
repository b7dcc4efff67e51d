package io.flockgate.gateway.eventloop;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/** An event loop on the test's own thread, whose turns and time the test controls. */
public final class FakeEventLoop extends EventLoop {
    private final Thread thread = Thread.currentThread();
    private final ConcurrentLinkedQueue<Runnable> posted = new ConcurrentLinkedQueue<>();
    private final AtomicInteger posts = new AtomicInteger();
    private final SequencedMap<Long, FakeTimer> timers = new TreeMap<>();
    private long now = Long.MAX_VALUE - 5_000_000_000L;
    private long lastTimer;
    private boolean ended;

    private record FakeTimer(long id, long due, Runnable task) {}

    @Override
    public long readClock() {
        return now;
    }

    @Override
    public boolean isCurrent() {
        return Thread.currentThread().equals(thread);
    }

    @Override
    public Thread thread() {
        return thread;
    }

    @Override
    public void post(Runnable task) {
        if (ended) {
            throw new RejectedExecutionException("the loop has ended");
        }
        posts.incrementAndGet();
        posted.add(task);
    }

    @Override
    @CanIgnoreReturnValue
    public long after(long millis, Runnable task) {
        long id = ++lastTimer;
        timers.put(id, new FakeTimer(id, now + Math.max(1, millis) * 1_000_000, task));
        return id;
    }

    @Override
    public void cancel(long timer) {
        timers.remove(timer);
    }

    /**
     * Runs the tasks that have been posted so far, but not those that they post. Returns their
     * number.
     */
    @CanIgnoreReturnValue
    public int turn() {
        int tasks = posted.size();
        for (int i = 0; i < tasks; i++) {
            posted.remove().run();
        }
        return tasks;
    }

    /** Runs tasks until none are left. */
    public void run() {
        while (turn() > 0) {}
    }

    /** Lets time pass, firing each timer at its due time, and runs all tasks. */
    public void pass(Duration time) {
        long until = now + time.toNanos();
        run();
        for (Optional<FakeTimer> due = firstBy(until); due.isPresent(); due = firstBy(until)) {
            now = due.get().due();
            timers.remove(due.get().id());
            due.get().task().run();
            run();
        }
        now = until;
    }

    private Optional<FakeTimer> firstBy(long until) {
        return timers.values().stream()
                .filter(timer -> timer.due() - until <= 0)
                .min(Comparator.comparingLong(timer -> timer.due() - now));
    }

    /** Lets time pass without running anything, as when the loop's thread is busy. */
    public void stall(Duration time) {
        now += time.toNanos();
    }

    /** Accepts no further tasks. */
    public void end() {
        ended = true;
    }

    public int timersRunning() {
        return timers.size();
    }

    /** The number of timers started so far. */
    public long timersStarted() {
        return lastTimer;
    }

    /** The number of tasks posted so far. */
    public int posts() {
        return posts.get();
    }
}
