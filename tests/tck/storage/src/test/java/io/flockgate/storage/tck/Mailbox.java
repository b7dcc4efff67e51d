package io.flockgate.storage.tck;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/** Runs notifications in the order of their posting, on one thread at a time and never nested. */
final class Mailbox {
    private final Queue<Runnable> posted = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean delivering = new AtomicBoolean();

    void post(Runnable notification) {
        posted.add(notification);
    }

    void deliver() {
        while (!posted.isEmpty() && delivering.compareAndSet(false, true)) {
            try {
                for (Runnable next = posted.poll(); next != null; next = posted.poll()) {
                    next.run();
                }
            } finally {
                delivering.set(false);
            }
        }
    }
}
