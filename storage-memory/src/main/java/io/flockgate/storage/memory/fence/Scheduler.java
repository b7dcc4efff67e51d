package io.flockgate.storage.memory.fence;

import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Runs tasks later, on another thread. An interface, so that tests of the fence counter can run
 * attempts one by one.
 */
interface Scheduler extends AutoCloseable {
    /** Runs the task after the delay; once closed, never. Does not throw. */
    void schedule(Runnable task, long delayMillis);

    /** Drops tasks that have not begun; does not wait. Idempotent. */
    @Override
    void close();

    /**
     * Passes an unexpected error to the thread's handler of uncaught exceptions, because the
     * executor would swallow it.
     */
    private static void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            Thread thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
        }
    }

    /** A scheduler with one thread, which starts with the first task. */
    static Scheduler of(ThreadFactory threads) {
        ScheduledThreadPoolExecutor executor =
                new ScheduledThreadPoolExecutor(1, threads, new ThreadPoolExecutor.DiscardPolicy());
        return new Scheduler() {
            @Override
            @SuppressWarnings("FutureReturnValueIgnored") // tasks report their own failures
            public void schedule(Runnable task, long delayMillis) {
                executor.schedule(() -> run(task), delayMillis, TimeUnit.MILLISECONDS);
            }

            @Override
            public void close() {
                executor.shutdownNow();
            }
        };
    }
}
