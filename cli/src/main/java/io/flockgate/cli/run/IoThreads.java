package io.flockgate.cli.run;

import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor.DiscardPolicy;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads of one claim's connections. Virtual threads would need a thread of the JVM that
 * sleeps in the kernel for ever, and at its end the JVM waits 300 ms for each thread that is there.
 */
final class IoThreads implements Executor, AutoCloseable {
    private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    // What comes after the close is about connections that end with the process.
    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            1,
            TimeUnit.MINUTES,
            new SynchronousQueue<>(),
            IoThreads::daemon,
            new DiscardPolicy());

    /**
     * The tasks that have not ended. The pool's own count leaves out those whose thread is about to
     * start.
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

    /** Waits a moment for the tasks that end sessions and connections. Then takes no more. */
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
