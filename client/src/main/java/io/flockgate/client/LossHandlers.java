package io.flockgate.client;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** The handlers of a lease's losses, in the order of their registration. Safe from any thread. */
final class LossHandlers {
    private final Logger log;
    private final Consumer<Throwable> onFailure;
    private final List<Entry> entries = new CopyOnWriteArrayList<>();
    private volatile boolean closed;

    /** Starts without handlers. What a handler throws is logged and passed to {@code onFailure}. */
    LossHandlers(Logger log, Consumer<Throwable> onFailure) {
        this.log = log;
        this.onFailure = onFailure;
    }

    /** A registration; compared by identity, because one handler may be registered twice. */
    private static final class Entry {
        private final Consumer<? super LostEvent> handler;
        private volatile boolean removed;

        Entry(Consumer<? super LostEvent> handler) {
            this.handler = handler;
        }
    }

    Subscription add(Consumer<? super LostEvent> handler) {
        Entry entry = new Entry(handler);
        entries.add(entry);
        return () -> {
            entry.removed = true;
            entries.remove(entry);
        };
    }

    /** Notifies all handlers that are registered now, except those removed or added meanwhile. */
    void report(LostEvent event) {
        for (Entry entry : entries) {
            if (!entry.removed && !closed) {
                call(entry.handler, event);
            }
        }
    }

    private void call(Consumer<? super LostEvent> handler, LostEvent event) {
        try {
            handler.accept(event);
        } catch (Throwable thrown) {
            log.log(Level.ERROR, "a handler for the loss of lease " + event.name() + " failed", thrown);
            onFailure.accept(thrown);
        }
    }

    void close() {
        closed = true;
        entries.clear();
    }
}
