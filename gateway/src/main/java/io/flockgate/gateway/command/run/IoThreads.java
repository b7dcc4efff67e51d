package io.flockgate.gateway.command.run;

import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor.DiscardPolicy;
import java.util.concurrent.TimeUnit;

/**
 * The threads of one claim's connections. Virtual threads would need a thread of the JVM that sleeps in the kernel for ever, and at its end the JVM waits 300 ms
 * for each thread that is there.
 */
final class IoThreads implements Executor, AutoCloseable {
    private static final long PATIENCE_MILLIS = 100;

    // What comes after the close is about connections that end with the process.
    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            1,
            TimeUnit.MINUTES,
            new SynchronousQueue<>(),
            IoThreads::daemon,
            new DiscardPolicy());

    private static Thread daemon(Runnable task) {
        return Thread.ofPlatform().daemon().name("flockgate-io").unstarted(task);
    }

    @Override
    public void execute(Runnable task) {
        threads.execute(task);
    }

    /** Takes no more tasks. Waits a moment for those that close connections. */
    @Override
    public void close() {
        threads.shutdown();
        try {
            boolean unused = threads.awaitTermination(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
