package io.flockgate.gateway.lifecycle;

import io.flockgate.gateway.eventloop.EventLoop;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whether an event loop is blocked or dead, by a task that it must run. For the thread of
 * the watchdog only.
 *
 * <p>A thread that waits for a lock or for time to pass is charged the clock. A runnable one is
 * charged its CPU time, so that an overloaded machine blocks no loop, or the clock if it got hardly
 * any. Java does not tell a thread that waits for a processor from one in a system call. So a task
 * that makes many short system calls is charged only their CPU time: with 2 ms a second it is found
 * after more than an hour.
 */
final class LoopCheck {
    static final long TICK_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** A loop that is busy all the time runs its tasks after far less work. */
    static final long MAX_NANOS = 10 * TICK_NANOS;

    /** A runnable thread that got less CPU time in a tick was in a system call. */
    static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final EventLoop loop;
    private volatile boolean ran = true;
    private long missedNanos;

    /**
     * What the thread had done at the first missed tick and after it; null while no tick is missed.
     */
    private @Nullable Activity before;

    /** What is known of the loop. */
    enum State {
        ALIVE,
        BLOCKED,
        DEAD
    }

    /**
     * What a thread has done so far.
     *
     * @param waiting whether it waits for another thread or for time to pass
     * @param cpuNanos negative if unknown
     */
    record Activity(boolean waiting, long cpuNanos) {}

    LoopCheck(EventLoop loop) {
        this.loop = loop;
    }

    /**
     * Called once a tick.
     *
     * @param onTime whether the process had time since the call before
     * @param activity of the loop's thread, asked only when the loop has missed a tick
     */
    State check(boolean onTime, Supplier<Activity> activity) {
        if (!ran) {
            missedNanos += missed(onTime, activity.get());
            return missedNanos >= MAX_NANOS ? State.BLOCKED : State.ALIVE;
        }
        missedNanos = 0;
        before = null;
        ran = false;
        try {
            loop.post(() -> ran = true);
            return State.ALIVE;
        } catch (RejectedExecutionException e) {
            return State.DEAD;
        }
    }

    /**
     * The first missed tick is charged the clock, since the CPU time at its beginning is unknown.
     */
    private long missed(boolean onTime, Activity now) {
        Activity last = before;
        before = now;
        long clock = onTime ? TICK_NANOS : 0;
        if (last == null || last.cpuNanos() < 0 || now.waiting()) {
            return clock;
        }
        long cpu = now.cpuNanos() - last.cpuNanos();
        return cpu < IDLE_NANOS ? clock : Math.min(cpu, TICK_NANOS);
    }

    Thread thread() {
        return loop.thread();
    }
}
