package io.flockgate.client.concurrent;

import java.lang.reflect.Method;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Executors for tasks that may block: virtual threads where the JVM has them, otherwise daemon
 * threads that are kept for a minute.
 */
public final class Threads {
    private Threads() {}

    /** An executor whose threads have this name unless they are virtual. */
    public static ExecutorService perTask(String name) {
        try {
            // Java 21 and later; this module is compiled for 17.
            Method method = Executors.class.getMethod("newVirtualThreadPerTaskExecutor");
            return (ExecutorService) method.invoke(null);
        } catch (ReflectiveOperationException noVirtualThreads) {
            return Executors.newCachedThreadPool(task -> daemon(name, task));
        }
    }

    private static Thread daemon(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }
}
