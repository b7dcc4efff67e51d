package io.flockgate.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Calls into the code of others: users on the callback executor, and back ends, which must not throw but may. */
final class Callbacks {
    private Callbacks() {}

    /** Runs a task on the callback executor; here, if the executor is shut down, because nobody may wait for ever. */
    static void run(LeaseEnvironment environment, Runnable task) {
        try {
            environment.callbackExecutor().execute(task);
        } catch (RejectedExecutionException shutDown) {
            task.run();
        }
    }

    /** Calls a back end. Exactly one of the consumers is called, maybe at once. What the call throws is a failure as well. */
    static <T> void ask(Supplier<CompletionStage<T>> call, Consumer<T> onAnswer, Consumer<Throwable> onFailure) {
        CompletionStage<T> stage;
        try {
            stage = call.get();
        } catch (RuntimeException thrown) {
            onFailure.accept(thrown);
            return;
        }
        stage.whenComplete((answer, failure) -> {
            if (failure != null) {
                onFailure.accept(cause(failure));
            } else {
                onAnswer.accept(answer);
            }
        });
    }

    /** Completes one future like another. */
    static <T> void forward(CompletionStage<T> from, CompletableFuture<T> to) {
        ask(() -> from, to::complete, to::completeExceptionally);
    }

    /** The failure itself, without the wrapping of a stage that depends on another. */
    static Throwable cause(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }
}
