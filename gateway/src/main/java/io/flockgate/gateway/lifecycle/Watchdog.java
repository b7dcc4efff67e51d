package io.flockgate.gateway.lifecycle;

import io.flockgate.gateway.eventloop.EventLoop;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Checks every second, on its own thread, whether the gateway can continue.
 *
 * <ol>
 *   <li>Measure how late this thread itself is. If it is late, the whole process was paused, or the
 *       machine is overloaded.
 *   <li>Post a task to each event loop. While a loop has not run its task, charge it for each
 *       second. If its thread waits or got hardly any CPU time, charge the whole second, or nothing
 *       if this thread was late. Otherwise, charge the CPU time that its thread got. After ten
 *       charged seconds, the loop is considered blocked. {@link LoopCheck} states what this misses.
 *   <li>If the heap is nearly full, check how much time garbage collection takes.
 *   <li>If a loop is blocked or has ended, or garbage collection takes nearly all time, call the
 *       alarm, which ends the process.
 *   <li>Otherwise report to the service manager that the gateway is alive, as often as it requires.
 * </ol>
 */
public final class Watchdog {
    private static final long TICK_NANOS = LoopCheck.TICK_NANOS;
    private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final int SHOWN_FRAMES = 12;
    private static final long UNKNOWN = -1;

    private final List<LoopCheck> loops;
    private final Consumer<String> alarm;
    private final ServiceManager manager;
    private final MemoryCheck memory = new MemoryCheck();
    private volatile boolean stopped;

    /**
     * A watchdog that has not started.
     *
     * @param alarm receives the reason why the gateway cannot continue
     * @param manager is notified while it can
     */
    public Watchdog(List<EventLoop> loops, Consumer<String> alarm, ServiceManager manager) {
        this.loops = loops.stream().map(LoopCheck::new).toList();
        this.alarm = alarm;
        this.manager = manager;
    }

    public void start() {
        Thread unused = Thread.ofPlatform().daemon().name("flockgate-watchdog").start(this::run);
    }

    public void stop() {
        stopped = true;
    }

    private void run() {
        long lastTick = System.nanoTime();
        while (!stopped) {
            LockSupport.parkNanos(this, TICK_NANOS - (System.nanoTime() - lastTick));
            long now = System.nanoTime();
            long passed = now - lastTick;
            if (passed >= TICK_NANOS && !stopped) {
                lastTick = now;
                Abort.haltIfAbortHangs();
                check(now, passed - TICK_NANOS < LATE_NANOS);
                manager.beat(now);
            }
        }
    }

    private void check(long now, boolean onTime) {
        Runtime heap = Runtime.getRuntime();
        long used = heap.totalMemory() - heap.freeMemory();
        for (LoopCheck loop : loops) {
            switch (loop.check(onTime, () -> activity(loop.thread()))) {
                case ALIVE -> {}
                case BLOCKED ->
                    alarm.accept("the event loop " + loop.thread().getName() + " is blocked: " + stack(loop));
                case DEAD ->
                    alarm.accept("the event loop " + loop.thread().getName() + " has ended"
                            + (MemoryCheck.isNearlyFull(used, heap.maxMemory()) ? ": out of memory" : ""));
            }
        }
        if (memory.isHopeless(now, used, heap.maxMemory(), Watchdog::collections)) {
            alarm.accept("out of memory: garbage collection takes nearly all time");
        }
    }

    private static String stack(LoopCheck loop) {
        return Arrays.stream(loop.thread().getStackTrace())
                .limit(SHOWN_FRAMES)
                .map(StackTraceElement::toString)
                .collect(Collectors.joining(" < "));
    }

    /** Queries the JVM. This loads many classes, so it is done only if a loop has missed a tick. */
    static LoopCheck.Activity activity(Thread thread) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        boolean measured = threads.isThreadCpuTimeSupported() && threads.isThreadCpuTimeEnabled();
        return new LoopCheck.Activity(
                thread.getState() != Thread.State.RUNNABLE,
                measured ? threads.getThreadCpuTime(thread.threadId()) : UNKNOWN);
    }

    /**
     * Queries the collectors. This loads many classes, so it is done only if the heap is nearly
     * full.
     */
    private static MemoryCheck.Collections collections() {
        long count = 0;
        long millis = 0;
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            count += Math.max(0, collector.getCollectionCount());
            millis += Math.max(0, collector.getCollectionTime());
        }
        return new MemoryCheck.Collections(count, millis);
    }
}
