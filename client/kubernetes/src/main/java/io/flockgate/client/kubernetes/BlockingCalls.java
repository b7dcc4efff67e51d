package io.flockgate.client.kubernetes;

import io.flockgate.client.LeaseClosedException;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.client.support.Threads;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs each blocking call on a thread of its own, and returns its result as a stage. Once it is
 * closed, no further call begins. When the last one has ended, the connections are closed. Thread
 * safe.
 */
final class BlockingCalls {
    private final Executor executor;

    /** Guarded by this, like the fields below. */
    private int running;

    private boolean closed;
    private Runnable resources = () -> {};

    /**
     * Starts without running calls.
     *
     * @param given the user's threads; null to create threads
     * @param name the name of created threads
     */
    BlockingCalls(@Nullable Executor given, String name) {
        this.executor = given == null ? Threads.perTask(name) : given;
    }

    /** The threads, for tasks that the closing need not wait for. */
    Executor threads() {
        return executor;
    }

    /**
     * Runs a call.
     *
     * @param told maps a failure to the exception that the caller receives
     */
    <T> CompletionStage<T> call(Callable<T> call, Function<Throwable, Throwable> told) {
        if (!begin()) {
            return CompletableFuture.failedStage(new LeaseClosedException("the client is closed"));
        }
        CompletableFuture<T> result = new CompletableFuture<>();
        try {
            executor.execute(() -> run(call, told, result));
        } catch (RejectedExecutionException refused) {
            end();
            result.completeExceptionally(
                    new LeaseUnavailableException("the executor accepts no more calls", false, refused));
        }
        return result;
    }

    private <T> void run(Callable<T> call, Function<Throwable, Throwable> told, CompletableFuture<T> result) {
        try {
            result.complete(call.call());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            result.completeExceptionally(
                    new LeaseUnavailableException("the client's thread was interrupted", true, interrupted));
        } catch (Throwable failed) {
            result.completeExceptionally(told.apply(failed));
        } finally {
            end();
        }
    }

    private synchronized boolean begin() {
        if (!closed) {
            running++;
        }
        return !closed;
    }

    private void end() {
        boolean last;
        synchronized (this) {
            running--;
            last = closed && running == 0;
        }
        if (last) {
            resources.run();
        }
    }

    /**
     * Rejects further calls. A second call does nothing.
     *
     * @param last frees the connections once no call is running, possibly before this method
     *     returns
     */
    void close(Runnable last) {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            resources = last;
            if (running > 0) {
                return;
            }
        }
        resources.run();
    }
}
