package io.flockgate.client.tck;

import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** A call on its own thread. */
final class BackgroundCall<T> extends FutureTask<T> {
    private final Thread thread = new Thread(this, "background-call");

    private BackgroundCall(Callable<T> call) {
        super(call);
        thread.setDaemon(true);
    }

    static <T> BackgroundCall<T> start(Callable<T> call) {
        BackgroundCall<T> started = new BackgroundCall<>(call);
        started.thread.start();
        return started;
    }

    void interrupt() {
        thread.interrupt();
    }

    /** What the call threw. */
    Throwable failure() throws InterruptedException {
        try {
            throw new AssertionError("no failure, but " + get());
        } catch (ExecutionException failed) {
            return Objects.requireNonNull(failed.getCause());
        }
    }
}
