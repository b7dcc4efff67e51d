package io.flockgate.gateway.eventloop;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * A long task in steps on an executor, so that several tasks take turns. A step that ends with a
 * bug or for lack of memory fails the task, which would otherwise keep its place forever. Each step
 * happens after the one before, on whatever thread.
 *
 * @param <V> the result of a step
 * @param <T> that of the task
 */
public final class Steps<V, T> {
    private final Executor executor;
    private final Supplier<Future<V>> step;
    private final Predicate<V> more;
    private final Supplier<T> result;
    private final Promise<T> done = Promise.promise();

    private Steps(Executor executor, Supplier<Future<V>> step, Predicate<V> more, Supplier<T> result) {
        this.executor = executor;
        this.step = step;
        this.more = more;
        this.result = result;
    }

    /**
     * Runs a task. The future completes on any thread. It fails if a step does.
     *
     * @param step runs when its turn comes
     * @param more takes the result of a step as soon as it is available, and returns whether
     *     another step follows
     * @param result runs at the end, when its turn comes
     */
    public static <V, T> Future<T> run(
            Executor executor, Supplier<Future<V>> step, Predicate<V> more, Supplier<T> result) {
        Steps<V, T> steps = new Steps<>(executor, step, more, result);
        steps.next(steps::step);
        return steps.done.future();
    }

    private void next(Runnable task) {
        executor.execute(() -> guarded(task));
    }

    private void step() {
        step.get().onComplete(value -> guarded(() -> next(more.test(value) ? this::step : this::end)), done::tryFail);
    }

    private void end() {
        done.complete(result.get());
    }

    private void guarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error failed) {
            boolean unused = done.tryFail(failed);
        }
    }
}
