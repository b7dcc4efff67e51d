package io.flockgate.gateway.lifecycle;

import io.flockgate.gateway.eventloop.EventLoop;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Detects whether an event loop is blocked or dead, by a task that it must run. On the watchdog's
 * thread only.
 *
 * <p>A thread that waits for a lock or for time to pass is charged wall-clock time. A runnable one
 * is charged its CPU time, so that no loop seems blocked on an overloaded machine, or wall-clock
 * time if it got hardly any CPU time. Java does not distinguish a thread that waits for a processor
 * from one in a system call, so a task that makes many short system calls is charged only their CPU
 * time: at 2 ms a second, it is detected after more than an hour.
 */
final class LoopCheck {
    static final long TICK_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** A constantly busy loop runs its tasks after far less work. */
    static final long MAX_NANOS = 10 * TICK_NANOS;

    /** A runnable thread that got less CPU time in a tick was in a system call. */
    static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final EventLoop loop;
    private volatile boolean ran = true;
    private long missedNanos;

    /** The thread's activity at the latest missed tick; null while no tick is missed. */
    private @Nullable Activity before;

    /** The known state of the loop. */
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
     * @param onTime whether the process got its time since the previous call
     * @param activity of the loop's thread, read only if the loop has missed a tick
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
     * The first missed tick is charged wall-clock time, because the CPU time at its beginning is
     * unknown.
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
