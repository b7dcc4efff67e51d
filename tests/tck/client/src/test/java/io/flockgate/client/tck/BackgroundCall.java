package io.flockgate.client.tck;

import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A call on its own thread. */
final class BackgroundCall<T> {
    private static final long PATIENCE_SECONDS = 20;

    private final CompletableFuture<T> result = new CompletableFuture<>();
    private final Thread thread;

    private BackgroundCall(Callable<T> call) {
        thread = new Thread(() -> run(call), "background-call");
        thread.setDaemon(true);
    }

    static <T> BackgroundCall<T> start(Callable<T> call) {
        BackgroundCall<T> started = new BackgroundCall<>(call);
        started.thread.start();
        return started;
    }

    private void run(Callable<T> call) {
        try {
            result.complete(call.call());
        } catch (Throwable thrown) {
            result.completeExceptionally(thrown);
        }
    }

    void interrupt() {
        thread.interrupt();
    }

    boolean isDone() {
        return result.isDone();
    }

    T get() throws Exception {
        return result.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    /** What the call threw. */
    Throwable failure() throws InterruptedException, TimeoutException {
        try {
            T value = result.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            throw new AssertionError("no failure, but " + value);
        } catch (ExecutionException failed) {
            return Objects.requireNonNull(failed.getCause());
        }
    }
}
