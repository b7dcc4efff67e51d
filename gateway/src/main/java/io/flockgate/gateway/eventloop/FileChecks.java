package io.flockgate.gateway.eventloop;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.concurrent.RejectedExecutionException;

/** Checks once a second whether files have changed, on a worker thread, until Vert.x is closed. */
public final class FileChecks {
    private static final long CHECK_MILLIS = 1_000;

    private FileChecks() {}

    /**
     * Starts the checks. Each begins a second after the last one has ended, because a file system
     * may hang.
     *
     * @param check may block, and must not throw
     */
    public static void start(Vertx vertx, Runnable check) {
        long unused = vertx.setTimer(CHECK_MILLIS, ignored -> run(vertx, check));
    }

    private static void run(Vertx vertx, Runnable check) {
        Future<?> checked;
        try {
            checked = vertx.executeBlocking(
                    () -> {
                        check.run();
                        return null;
                    },
                    false);
        } catch (RejectedExecutionException e) {
            // Vert.x is closing, and its timers end a little later than its worker threads.
            return;
        }
        Future<?> unused = checked.onComplete(done -> start(vertx, check));
    }
}
