package io.flockgate.gateway.eventloop;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * A long task in steps on an executor, so that several tasks take turns. A step that ends with a
 * bug or for lack of memory fails the task, which would otherwise keep its place forever. Each step
 * happens after the one before, on whatever thread.
 */
public final class Steps<T> {
    private final Executor executor;
    private final Promise<T> done = Promise.promise();

    public Steps(Executor executor) {
        this.executor = executor;
    }

    /** Completes when the task has ended, on any thread. */
    public Future<T> future() {
        return done.future();
    }

    /** Runs a step when its turn comes. */
    public void next(Runnable step) {
        executor.execute(() -> run(step));
    }

    /** Runs a step as soon as a result is available. A failure of the result fails the task. */
    public <V> void with(Future<V> result, Consumer<V> step) {
        result.onComplete(value -> run(() -> step.accept(value)), done::tryFail);
    }

    public void complete(T result) {
        done.complete(result);
    }

    public void fail(String message) {
        done.fail(message);
    }

    private void run(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error failed) {
            boolean unused = done.tryFail(failed);
        }
    }
}
