package io.flockgate.storage.memory.fence;

import java.util.ArrayDeque;
import java.util.Queue;

/** Keeps tasks until the test runs them. */
final class ManualScheduler implements Scheduler {
    private final Queue<Task> tasks = new ArrayDeque<>();
    private int closes;

    private record Task(Runnable action, long delayMillis) {}

    @Override
    public synchronized void schedule(Runnable task, long delayMillis) {
        tasks.add(new Task(task, delayMillis));
    }

    synchronized int waiting() {
        return tasks.size();
    }

    synchronized int closes() {
        return closes;
    }

    /** Runs the oldest task, and returns its requested delay. */
    long runNext() {
        Task task;
        synchronized (this) {
            task = tasks.remove();
        }
        task.action.run();
        return task.delayMillis;
    }

    @Override
    public synchronized void close() {
        closes++;
        tasks.clear();
    }
}
