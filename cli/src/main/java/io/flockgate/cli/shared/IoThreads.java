package io.flockgate.cli.shared;

import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor.DiscardPolicy;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads of one claim's connections. Virtual threads would need a JVM thread that stays
 * blocked in the kernel, and on exit the JVM waits 300 ms for each such thread.
 */
public final class IoThreads implements Executor, AutoCloseable {
    private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    // Tasks that arrive after the close concern connections that end with the process anyway.
    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            1,
            TimeUnit.MINUTES,
            new SynchronousQueue<>(),
            IoThreads::daemon,
            new DiscardPolicy());

    /**
     * The number of tasks that have not ended. The pool's own count leaves out those whose thread
     * is about to start.
     */
    private final AtomicInteger pending = new AtomicInteger();

    private static Thread daemon(Runnable task) {
        return Thread.ofPlatform().daemon().name("flockgate-io").unstarted(task);
    }

    @Override
    public void execute(Runnable task) {
        pending.incrementAndGet();
        threads.execute(() -> {
            try {
                task.run();
            } finally {
                pending.decrementAndGet();
            }
        });
    }

    /**
     * Waits briefly for the tasks that end sessions and connections, then accepts no further tasks.
     */
    @Override
    public void close() {
        long begin = System.nanoTime();
        try {
            while (pending.get() > 0 && System.nanoTime() - begin < PATIENCE_NANOS) {
                Thread.sleep(2);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        threads.shutdown();
    }
}
