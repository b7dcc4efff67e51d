package io.flockgate.gateway.session;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.storage.StorageException;
import io.vertx.core.Future;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * A queue of tasks from any thread for one event loop, which runs them in order. A turn of the loop
 * runs a bounded number of tasks. A session has at most a few tasks here for each of its claims.
 * Unlike the queue of a Vert.x context, a mailbox runs tasks as soon as the current piece of work
 * has ended, and knows whether it is empty. Also counts the calls whose results are pending.
 */
final class Mailbox {
    private static final int TASKS_PER_TURN = 256;

    private final EventLoop loop;
    private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean scheduled = new AtomicBoolean();

    /** The calls whose results have not been handled. Event loop only. */
    private int calls;

    private Runnable idle = () -> {};

    Mailbox(EventLoop loop) {
        this.loop = loop;
    }

    EventLoop loop() {
        return loop;
    }

    /**
     * Runs the task on the event loop while no session handles a request, because the replies
     * gathered during a request all go to its client.
     */
    void post(Runnable task) {
        tasks.add(task);
        schedule();
    }

    /**
     * Runs the task on the event loop after all tasks posted before, or at once if the caller is on
     * the loop and there are none. If the request of another session causes it, the task must not
     * answer a client.
     */
    void runOrPost(Runnable task) {
        if (loop.isCurrent() && tasks.isEmpty()) {
            task.run();
        } else {
            post(task);
        }
    }

    /**
     * Calls back at once if the future is complete, as most futures of an in-process storage are.
     */
    <T> void whenDone(Future<T> future, Consumer<T> then, Consumer<StorageException> otherwise) {
        if (future.succeeded()) {
            then.accept(future.result());
        } else if (future.failed()) {
            otherwise.accept(StorageFailures.of(future.cause()));
        } else {
            calls++;
            future.onComplete(
                    result -> post(() -> handle(() -> then.accept(result))),
                    cause -> post(() -> handle(() -> otherwise.accept(StorageFailures.of(cause)))));
        }
    }

    private void handle(Runnable result) {
        try {
            result.run();
        } finally {
            calls--;
            runIfIdle();
        }
    }

    /**
     * Runs the action once, when the results of all calls, and of those that follow from them, have
     * been handled. Event loop only.
     */
    void whenIdle(Runnable action) {
        idle = action;
        runIfIdle();
    }

    private void runIfIdle() {
        if (calls == 0) {
            Runnable action = idle;
            idle = () -> {};
            action.run();
        }
    }

    private void schedule() {
        if (scheduled.compareAndSet(false, true)) {
            loop.afterwards(this::drain);
        }
    }

    /**
     * The flag is cleared before the queue is checked for the last time, so a task added after that
     * schedules another turn. A task that throws ends the turn, not the mailbox.
     */
    private void drain() {
        try {
            Runnable task = tasks.poll();
            for (int n = 1; task != null; n++) {
                task.run();
                task = n < TASKS_PER_TURN ? tasks.poll() : null;
            }
        } finally {
            scheduled.set(false);
            if (!tasks.isEmpty()) {
                schedule();
            }
        }
    }
}
