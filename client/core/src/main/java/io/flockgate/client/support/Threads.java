package io.flockgate.client.support;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Executors whose daemon threads end a second after their last task, so that they keep no class
 * loader of an application. A thread inherits nothing from the one that happens to start it: no
 * inheritable thread-locals, and the context class loader is that of this library.
 */
public final class Threads {
    private static final int IDLE_SECONDS = 1;

    private Threads() {}

    /**
     * An executor for tasks that may block: virtual threads where the JVM has them, otherwise
     * threads with this name.
     */
    public static Executor perTask(String name) {
        try {
            // Java 21 and later; this module is compiled for 17.
            Class<?> builder = Class.forName("java.lang.Thread$Builder");
            Object virtual = Thread.class.getMethod("ofVirtual").invoke(null);
            Object bare = builder.getMethod("inheritInheritableThreadLocals", boolean.class)
                    .invoke(virtual, false);
            ThreadFactory factory = (ThreadFactory) builder.getMethod("factory").invoke(bare);
            return task -> loading(factory.newThread(task)).start();
        } catch (ReflectiveOperationException noVirtualThreads) {
            return new ThreadPoolExecutor(
                    0,
                    Integer.MAX_VALUE,
                    IDLE_SECONDS,
                    TimeUnit.SECONDS,
                    new SynchronousQueue<>(),
                    task -> daemon(name, task));
        }
    }

    /**
     * Runs a task on an executor, or on the calling thread if the executor is shut down, because no
     * caller may wait forever.
     */
    public static void run(Executor executor, Runnable task) {
        try {
            executor.execute(task);
        } catch (RejectedExecutionException shutDown) {
            task.run();
        }
    }

    /** One thread for timers. */
    public static ScheduledThreadPoolExecutor timers(String name) {
        ScheduledThreadPoolExecutor timers = new ScheduledThreadPoolExecutor(1, task -> daemon(name, task));
        timers.setRemoveOnCancelPolicy(true);
        timers.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        timers.allowCoreThreadTimeOut(true);
        return timers;
    }

    private static Thread daemon(String name, Runnable task) {
        Thread thread = loading(new Thread(null, task, name, 0, false));
        thread.setDaemon(true);
        return thread;
    }

    private static Thread loading(Thread thread) {
        thread.setContextClassLoader(Threads.class.getClassLoader());
        return thread;
    }
}
