package io.flockgate.client;

import io.flockgate.client.http.Reasons;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

/** Blocking waits for stages. A stage's failure is thrown unchanged. */
final class Waits {
    /** The longest wait of one attempt; a longer wait takes several attempts. */
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

    /** Waits even if interrupted, and restores the interrupt at the end. */
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

    /**
     * Releases a slot. A failure is only logged, because the slot is free when its lease expires.
     */
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
