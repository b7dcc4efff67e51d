package io.flockgate.client;

import io.flockgate.client.http.Reasons;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

/** Waits of threads for stages. A stage's own failure is thrown as it is. */
final class Waits {
    /** The longest wait of one attempt. Who waits longer, begins another. */
    static final Duration LONGEST = Duration.ofDays(1);

    private static final Logger LOG = System.getLogger("io.flockgate.client");

    private Waits() {}

    static <T> T await(CompletionStage<T> stage) throws InterruptedException {
        try {
            return stage.toCompletableFuture().get();
        } catch (ExecutionException failed) {
            throw unchecked(failed);
        }
    }

    /** Waits through interrupts, and restores the interrupt at the end. */
    static <T> T awaitUninterruptibly(CompletionStage<T> stage) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return await(stage);
                } catch (InterruptedException later) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Gives a slot back. It is free after its time at the latest, so a failure is only logged. */
    static void releaseQuietly(Lease lease) {
        try {
            awaitUninterruptibly(lease.release());
        } catch (LeaseReleaseException unconfirmed) {
            LOG.log(Level.WARNING, "{0}", unconfirmed.getMessage());
        }
    }

    private static RuntimeException unchecked(ExecutionException failed) {
        Throwable cause = failed.getCause();
        if (cause instanceof Error error) {
            throw error;
        }
        return cause instanceof RuntimeException expected ? expected : new LeaseException(Reasons.of(failed), cause);
    }
}
