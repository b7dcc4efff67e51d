package io.flockgate.client;

import org.jspecify.annotations.Nullable;

/**
 * One task on the current thread, which is interrupted when its grant is lost or its provider
 * closes.
 *
 * <p>The interrupt and the end of the task exclude each other, so that the interrupt hits either
 * the task or nothing.
 */
final class HeldRun {
    private final String name;
    private final Grant grant;
    private final Thread thread = Thread.currentThread();
    private final Object lock = new Object();
    private boolean running = true;
    private boolean interrupted;

    HeldRun(String name, Grant grant) {
        this.name = name;
        this.grant = grant;
    }

    /** The same work, with nothing as its result. */
    static HeldTask<@Nullable Object> task(HeldAction action) {
        return grant -> {
            action.run(grant);
            return null;
        };
    }

    <T extends @Nullable Object> T run(HeldTask<T> task) throws Exception {
        grant.lost().thenRun(this::interrupt);
        T result;
        try {
            result = task.run(grant);
        } catch (Throwable thrown) {
            throwIfLost(thrown);
            throw thrown;
        }
        throwIfLost(null);
        return result;
    }

    /** Interrupts the task, if it runs. */
    void interrupt() {
        synchronized (lock) {
            if (running) {
                interrupted = true;
                thread.interrupt();
            }
        }
    }

    private void throwIfLost(@Nullable Throwable thrown) {
        synchronized (lock) {
            running = false;
        }
        if (interrupted) {
            Thread.interrupted();
        }
        if (!grant.isAlive()) {
            throw LeaseLostException.of(name, grant, thrown);
        }
    }
}
