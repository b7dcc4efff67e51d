package io.flockgate.gateway.session;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.storage.StorageException;
import io.vertx.core.Future;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Tasks handed over to an event loop from any thread, run there in the order of the handing over. Many tasks cost the loop
 * one turn; a turn runs a bounded number of them. Holds no more than a few tasks for each claim of its session.
 */
final class Mailbox {
    private static final int TASKS_PER_TURN = 256;

    private final EventLoop loop;
    private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean scheduled = new AtomicBoolean();

    Mailbox(EventLoop loop) {
        this.loop = loop;
    }

    boolean isEmpty() {
        return tasks.isEmpty();
    }

    void post(Runnable task) {
        tasks.add(task);
        schedule();
    }

    /** Most futures of a storage in the process are complete already: they cost no hop. */
    <T> void whenDone(Future<T> future, Consumer<T> then, Consumer<StorageException> otherwise) {
        if (future.succeeded()) {
            then.accept(future.result());
        } else if (future.failed()) {
            otherwise.accept(Troubles.of(future.cause()));
        } else {
            future.onComplete(
                    result -> post(() -> then.accept(result)),
                    cause -> post(() -> otherwise.accept(Troubles.of(cause))));
        }
    }

    private void schedule() {
        if (scheduled.compareAndSet(false, true)) {
            loop.afterwards(this::drain);
        }
    }

    /**
     * The flag is cleared before the last look: a task added after that look schedules a turn of its own. A task that throws
     * ends the turn, not the mailbox.
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
