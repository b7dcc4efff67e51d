package io.flockgate.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Calls into foreign code: user code on the callback executor, and back ends, which must not throw
 * but may.
 */
final class Callbacks {
    private Callbacks() {}

    /**
     * Runs a task on the callback executor, or on the calling thread if the executor is shut down,
     * because no caller may wait forever.
     */
    static void run(LeaseEnvironment environment, Runnable task) {
        try {
            environment.callbackExecutor().execute(task);
        } catch (RejectedExecutionException shutDown) {
            task.run();
        }
    }

    /** A copy of a future that completes on the callback executor, for users. */
    static <T> CompletableFuture<T> onExecutor(LeaseEnvironment environment, CompletableFuture<T> raw) {
        CompletableFuture<T> told = new CompletableFuture<>();
        ask(
                () -> raw,
                value -> run(environment, () -> told.complete(value)),
                failure -> run(environment, () -> told.completeExceptionally(failure)));
        return told;
    }

    /**
     * Calls a back end. Exactly one of the consumers is called, possibly before the method returns.
     * An exception thrown by the call is a failure, and so is null.
     */
    static <T> void askBackend(Supplier<CompletionStage<T>> call, Consumer<T> onAnswer, Consumer<Throwable> onFailure) {
        ask(
                call,
                answer -> {
                    if (answer != null) {
                        onAnswer.accept(answer);
                    } else {
                        onFailure.accept(new IllegalStateException("the back end gave no answer"));
                    }
                },
                onFailure);
    }

    /**
     * Passes on the result of a stage. Exactly one of the consumers is called, possibly before the
     * method returns.
     */
    static <T> void ask(Supplier<CompletionStage<T>> call, Consumer<T> onAnswer, Consumer<Throwable> onFailure) {
        CompletionStage<T> stage;
        try {
            stage = call.get();
            if (stage == null) {
                throw new IllegalStateException("the back end gave no stage");
            }
        } catch (RuntimeException | Error thrown) {
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

    /** Completes a future in the same way as a stage. */
    static <T> void forward(CompletionStage<T> from, CompletableFuture<T> to) {
        ask(() -> from, to::complete, to::completeExceptionally);
    }

    /** The failure itself, without the wrapper that a dependent stage adds. */
    static Throwable cause(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }
}
