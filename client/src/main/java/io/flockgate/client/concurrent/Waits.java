package io.flockgate.client.concurrent;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

/** Blocking waits for stages of the client. A stage's failure is thrown unchanged. */
public final class Waits {
    /** The longest wait of one attempt; a longer wait takes several attempts. */
    public static final Duration LONGEST = Duration.ofDays(1);

    private Waits() {}

    public static <T> T await(CompletionStage<T> stage) throws InterruptedException {
        try {
            return stage.toCompletableFuture().get();
        } catch (ExecutionException failed) {
            throw unchecked(failed);
        }
    }

    /** Waits even if interrupted, and restores the interrupt at the end. */
    public static <T> T awaitUninterruptibly(CompletionStage<T> stage) {
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

    private static RuntimeException unchecked(ExecutionException failed) {
        Throwable cause = failed.getCause();
        if (cause instanceof Error error) {
            throw error;
        }
        return cause instanceof RuntimeException expected ? expected : new IllegalStateException(cause);
    }
}
