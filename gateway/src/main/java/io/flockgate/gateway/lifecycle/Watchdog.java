package io.flockgate.gateway.lifecycle;

import io.flockgate.gateway.eventloop.EventLoop;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Checks every second, on its own thread, whether the event loops of the gateway run.
 *
 * <ol>
 *   <li>Post a task to each event loop.
 *   <li>If a loop has not run its task after {@value #MAX_TICKS} checks, or has ended, call the
 *       alarm, which ends the process. Seconds in which the whole process was paused have no check,
 *       so they do not count.
 *   <li>Otherwise report that the gateway is alive.
 * </ol>
 */
public final class Watchdog {
    private static final long TICK_NANOS = TimeUnit.SECONDS.toNanos(1);
    static final int MAX_TICKS = 60;
    private static final int SHOWN_FRAMES = 12;

    private final List<Check> checks;
    private final Consumer<String> alarm;
    private final Runnable alive;
    private volatile boolean stopped;

    /** An event loop with the task that it must run. */
    private static final class Check {
        private final EventLoop loop;
        private volatile boolean ran = true;
        private int missed;

        private Check(EventLoop loop) {
            this.loop = loop;
        }

        /** Why the gateway cannot continue; empty if it can. */
        private String fault() {
            if (!ran) {
                missed++;
                return missed < MAX_TICKS ? "" : name() + " is blocked: " + stack();
            }
            missed = 0;
            ran = false;
            try {
                loop.post(() -> ran = true);
                return "";
            } catch (RejectedExecutionException e) {
                return name() + " has ended";
            }
        }

        private String name() {
            return "the event loop " + loop.thread().getName();
        }

        private String stack() {
            return Arrays.stream(loop.thread().getStackTrace())
                    .limit(SHOWN_FRAMES)
                    .map(StackTraceElement::toString)
                    .collect(Collectors.joining(" < "));
        }
    }

    /**
     * A watchdog that has not started.
     *
     * @param alarm receives the reason why the gateway cannot continue
     * @param alive runs at each check after which it can
     */
    public Watchdog(List<EventLoop> loops, Consumer<String> alarm, Runnable alive) {
        this.checks = loops.stream().map(Check::new).toList();
        this.alarm = alarm;
        this.alive = alive;
    }

    public void start() {
        Thread unused = Thread.ofPlatform().daemon().name("flockgate-watchdog").start(this::run);
    }

    public void stop() {
        stopped = true;
    }

    private void run() {
        while (!stopped) {
            long due = System.nanoTime() + TICK_NANOS;
            for (long left = TICK_NANOS; left > 0; left = due - System.nanoTime()) {
                LockSupport.parkNanos(this, left);
            }
            if (!stopped) {
                check();
            }
        }
    }

    /** Checks all event loops. */
    void check() {
        checks.stream().map(Check::fault).filter(fault -> !fault.isEmpty()).forEach(alarm);
        alive.run();
    }
}
