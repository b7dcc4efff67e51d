package io.flockgate.client.spring;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

/** Blocking waits for stages of the client. A stage's failure is thrown unchanged. */
final class Waits {
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

    private static RuntimeException unchecked(ExecutionException failed) {
        Throwable cause = failed.getCause();
        if (cause instanceof Error error) {
            throw error;
        }
        return cause instanceof RuntimeException expected ? expected : new IllegalStateException(cause);
    }
}
