package io.flockgate.storage.consul.environment;

import io.flockgate.storage.consul.kv.ConsulException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/** Runs actions for many items, a few at a time. */
public final class Batch {
    private Batch() {}

    /**
     * Runs an action for each item, and blocks until every item has had its turn, even after a
     * failure.
     *
     * @param threads the name of the threads
     * @param together the number of concurrent actions
     * @throws ConsulException the failure of one item, if any failed
     */
    public static <T> void run(
            Environment environment, String threads, Collection<T> items, int together, Consumer<T> action) {
        Queue<T> waiting = new ConcurrentLinkedQueue<>(items);
        Queue<ConsulException> failures = new ConcurrentLinkedQueue<>();
        Runnable turns = () -> {
            for (T item = waiting.poll(); item != null; item = waiting.poll()) {
                try {
                    action.accept(item);
                } catch (ConsulException e) {
                    failures.add(e);
                }
            }
        };
        List<Thread> running = new ArrayList<>();
        for (int i = 0; i < Math.min(together, items.size()); i++) {
            running.add(environment.start(threads, turns));
        }
        running.forEach(Batch::join);
        ConsulException failure = failures.peek();
        if (failure != null) {
            throw failure;
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
