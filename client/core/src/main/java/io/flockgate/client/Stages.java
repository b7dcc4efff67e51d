package io.flockgate.client;

import io.flockgate.client.support.Reasons;
import io.flockgate.client.support.Threads;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Passes on the results of stages, also between the client and foreign code: user code on the
 * callback executor, and back ends, which must not throw but may. Waits for stages on behalf of
 * blocking code; a failure is thrown unchanged.
 */
final class Stages {
    /** The longest wait of one attempt; a longer wait takes several attempts. */
    static final Duration LONGEST = Duration.ofDays(1);

    private static final Logger LOG = System.getLogger("io.flockgate.client");

    private Stages() {}

    /** A copy of a future that completes on the callback executor, for users. */
    static <T> CompletionStage<T> onExecutor(LeaseEnvironment environment, CompletableFuture<T> raw) {
        CompletableFuture<T> told = new CompletableFuture<>();
        var unused = raw.whenComplete((value, failure) ->
                Threads.run(environment.callbackExecutor(), () -> complete(told, value, cause(failure))));
        return told.minimalCompletionStage();
    }

    /** Completes a future in the same way as a stage. */
    static <T> void forward(CompletionStage<T> from, CompletableFuture<T> to) {
        from.whenComplete((value, failure) -> complete(to, value, cause(failure)));
    }

    /** Completes a future with the value, unless there is a failure; true for the first call. */
    static <T> boolean complete(CompletableFuture<T> future, @Nullable T value, @Nullable Throwable failure) {
        return failure == null ? future.complete(value) : future.completeExceptionally(failure);
    }

    /**
     * Calls foreign code that returns a stage. Exactly one of the consumers is called, possibly
     * before the method returns. An exception thrown by the call is a failure.
     */
    static <T> void ask(Supplier<CompletionStage<T>> call, Consumer<T> onAnswer, Consumer<Throwable> onFailure) {
        CompletionStage<T> stage;
        try {
            stage = call.get();
        } catch (RuntimeException | Error thrown) {
            onFailure.accept(thrown);
            return;
        }
        stage.whenComplete((answer, failure) -> {
            if (failure == null) {
                onAnswer.accept(answer);
            } else {
                onFailure.accept(cause(failure));
            }
        });
    }

    /** The failure itself, without the wrapper that a dependent stage adds. */
    private static @Nullable Throwable cause(@Nullable Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    static <T> T await(CompletionStage<T> stage) throws InterruptedException {
        try {
            return stage.toCompletableFuture().get();
        } catch (ExecutionException failed) {
            Throwable cause = failed.getCause();
            if (cause instanceof Error error) {
                throw error;
            }
            throw cause instanceof RuntimeException expected ? expected : new LeaseException(Reasons.of(failed), cause);
        }
    }

    /**
     * Waits at most this time. An interrupt ends the wait, and the interrupt status stays set.
     *
     * @return the failure, or that the time has passed; null otherwise
     */
    static @Nullable Exception await(CompletableFuture<Void> future, Duration most) {
        try {
            Void unused = future.get(most.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException unconfirmed) {
            return unconfirmed;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        return null;
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

    /** Waits for the result of a claim. An interrupt withdraws it. */
    static Optional<LeaseGrant> claim(Lease lease, Duration wait) throws InterruptedException {
        try {
            return await(lease.acquire(wait));
        } catch (InterruptedException interrupted) {
            lease.release();
            throw interrupted;
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
}
