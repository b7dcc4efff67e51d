package io.flockgate.storage.tck;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;

/** Runs work on several threads that start at the same moment. */
final class Concurrently {
    private Concurrently() {}

    /** The results of the threads, in the order of their numbers. */
    static <T> List<T> run(int threads, IntFunction<T> work) {
        CyclicBarrier start = new CyclicBarrier(threads);
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Future<T>> running = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int number = i;
                running.add(pool.submit(() -> {
                    start.await(Await.SECONDS, TimeUnit.SECONDS);
                    return work.apply(number);
                }));
            }
            List<T> results = new ArrayList<>();
            for (Future<T> each : running) {
                results.add(result(each));
            }
            return results;
        } finally {
            pool.shutdownNow();
        }
    }

    private static <T> T result(Future<T> running) {
        try {
            return running.get(6 * Await.SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new AssertionError("on one of several threads", e.getCause());
        } catch (TimeoutException e) {
            throw new AssertionError("one of several threads hangs", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }
}
