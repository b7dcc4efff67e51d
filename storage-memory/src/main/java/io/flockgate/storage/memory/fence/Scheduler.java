package io.flockgate.storage.memory.fence;

import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Runs tasks later, off the calling thread. */
interface Scheduler extends AutoCloseable {
    /** Runs the task after the delay, or never once closed; does not throw. */
    void schedule(Runnable task, long delayMillis);

    /** Drops what has not begun; does not wait. Idempotent. */
    @Override
    void close();

    /** One daemon thread, started with the first task. */
    static Scheduler daemonThread(String name) {
        ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().daemon().name(name).factory(), new ThreadPoolExecutor.DiscardPolicy());
        return new Scheduler() {
            @Override
            @SuppressWarnings("FutureReturnValueIgnored") // tasks report their own failures
            public void schedule(Runnable task, long delayMillis) {
                executor.schedule(task, delayMillis, TimeUnit.MILLISECONDS);
            }

            @Override
            public void close() {
                executor.shutdownNow();
            }
        };
    }
}
