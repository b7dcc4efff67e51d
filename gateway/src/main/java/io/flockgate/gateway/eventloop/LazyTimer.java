package io.flockgate.gateway.eventloop;

/**
 * A deadline that is set and cleared far more often than it is reached. Clearing it, or moving it
 * to a later time, only sets a field. The timer behind it checks the deadline when it fires. On one
 * event loop only.
 */
public final class LazyTimer {
    private static final long NONE = -1;
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long MAX_MILLIS = 24 * 60 * 60 * 1000L;

    private final EventLoop loop;
    private final Runnable due;
    private boolean set;
    private long deadline;
    private long timer = NONE;
    private long firesAt;

    public LazyTimer(EventLoop loop, Runnable due) {
        this.loop = loop;
        this.due = due;
    }

    /** Runs the task when this many nanoseconds have passed. Replaces any deadline set before. */
    public void set(long nanos) {
        long now = loop.now();
        deadline = now + Math.min(nanos, Long.MAX_VALUE / 2);
        set = true;
        if (timer == NONE || deadline - firesAt < 0) {
            stop();
            start(now);
        }
    }

    public void clear() {
        set = false;
    }

    /** Cancels the timer behind the deadline. */
    public void stop() {
        if (timer != NONE) {
            loop.cancel(timer);
            timer = NONE;
        }
    }

    private void start(long now) {
        long millis = Math.min(MAX_MILLIS, Math.ceilDiv(deadline - now, NANOS_PER_MILLI));
        firesAt = now + millis * NANOS_PER_MILLI;
        timer = loop.after(millis, this::fired);
    }

    private void fired() {
        timer = NONE;
        if (!set) {
            return;
        }
        long now = loop.now();
        if (now - deadline < 0) {
            start(now);
        } else {
            set = false;
            due.run();
        }
    }
}
