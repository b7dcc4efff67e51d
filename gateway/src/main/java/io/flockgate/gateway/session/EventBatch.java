package io.flockgate.gateway.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.List;

/**
 * Collects the events of a gateway and passes them to their listeners in batches, because passing
 * each event to every listener immediately would delay the thread on which it happens.
 *
 * <ol>
 *   <li>{@link #add} puts an event into the batch, and wakes one listener unless one is awake. That
 *       listener calls {@link #deliver} soon. If none is ready, the next event asks again, and a
 *       listener that becomes ready calls {@link #deliver}.
 *   <li>If the batch is full, the thread that filled it delivers it.
 *   <li>{@link #deliver} passes each listener the events that are for it, in the order in which
 *       they were added.
 * </ol>
 *
 * <p>Thread safe.
 */
final class EventBatch {
    static final int MAX = 256;

    /** An event and the listeners at the time it happened. */
    private record Entry(ClientEvent event, List<EventListener> listeners) {}

    /** Held while a batch is delivered, so that batches keep their order. */
    private final Object order = new Object();

    @GuardedBy("this")
    private List<Entry> batch = new ArrayList<>();

    /** Whether a listener will deliver the batch. */
    @GuardedBy("this")
    private boolean awake;

    void add(ClientEvent event, List<EventListener> listeners) {
        if (put(new Entry(event, listeners))) {
            deliver();
        }
    }

    /** Returns whether the batch is full. */
    private synchronized boolean put(Entry entry) {
        batch.add(entry);
        awake = awake || wakesOne(entry.listeners);
        return batch.size() >= MAX;
    }

    private static boolean wakesOne(List<EventListener> listeners) {
        for (EventListener listener : listeners) {
            if (listener.wake()) {
                return true;
            }
        }
        return false;
    }

    private synchronized List<Entry> take() {
        if (batch.isEmpty()) {
            return List.of();
        }
        List<Entry> taken = batch;
        batch = new ArrayList<>();
        awake = false;
        return taken;
    }

    /** Passes the events of the batch to their listeners. */
    void deliver() {
        synchronized (order) {
            List<Entry> taken = take();
            int from = 0;
            while (from < taken.size()) {
                List<EventListener> listeners = taken.get(from).listeners;
                List<ClientEvent> events = new ArrayList<>();
                while (from < taken.size() && taken.get(from).listeners.equals(listeners)) {
                    events.add(taken.get(from++).event);
                }
                listeners.forEach(listener -> listener.accept(events));
            }
        }
    }
}
