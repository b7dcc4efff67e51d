package io.flockgate.storage.tck;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/** What is to be told, told in the order in which it was posted, by one thread at a time and never from inside itself. */
final class Mailbox {
    private final Queue<Runnable> posted = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean delivering = new AtomicBoolean();

    void post(Runnable news) {
        posted.add(news);
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
