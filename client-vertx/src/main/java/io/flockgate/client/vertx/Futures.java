package io.flockgate.client.vertx;

import io.vertx.core.Context;
import io.vertx.core.Future;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** Converts stages of the client to Vert.x futures. */
final class Futures {
    private Futures() {}

    /**
     * A future that completes like the stage, on the context. A failure is unwrapped from the
     * exception that stages add.
     */
    static <T> Future<T> on(Context context, CompletionStage<T> stage) {
        CompletableFuture<T> unwrapped = new CompletableFuture<>();
        stage.whenComplete((value, failure) -> {
            if (failure == null) {
                unwrapped.complete(value);
            } else {
                unwrapped.completeExceptionally(cause(failure));
            }
        });
        return Future.fromCompletionStage(unwrapped, context);
    }

    private static Throwable cause(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }
}
