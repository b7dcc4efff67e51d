package io.flockgate.cluster.campaign;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A thread that repeats a task until it is stopped, and reports its failure then. */
final class Worker {
    /** One round. */
    interface Round {
        void run() throws Exception;
    }

    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final Thread thread;
    private volatile boolean stopped;
    private volatile @Nullable Throwable failure;

    private Worker(String name, Round round) {
        thread = Thread.ofPlatform().daemon().name(name).unstarted(() -> run(round));
    }

    static Worker start(String name, Round round) {
        Worker worker = new Worker(name, round);
        worker.thread.start();
        return worker;
    }

    private void run(Round round) {
        try {
            while (!stopped) {
                round.run();
            }
        } catch (Exception | AssertionError e) {
            failure = e;
        }
    }

    /** Lets the current round end, and starts no other. */
    void stop() throws InterruptedException {
        stopped = true;
        if (!thread.join(PATIENCE)) {
            throw new AssertionError(thread.getName() + " does not end");
        }
        if (failure != null) {
            throw new AssertionError(thread.getName() + " failed", failure);
        }
    }
}
