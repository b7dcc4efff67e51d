package io.flockgate.gateway.session;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Passes what happens to clients on to those who watch. While nobody does, each event costs one
 * read of a field: ask {@link #isHeard} before you make one. Thread safe.
 */
public final class EventFeed {
    private volatile boolean heard;
    private volatile List<Consumer<ClientEvent>> listeners = List.of();

    /** Whether anybody listens. */
    public boolean isHeard() {
        return heard;
    }

    /** Adds a listener. It is called on any thread, must not block and must not throw. */
    public synchronized void add(Consumer<ClientEvent> listener) {
        List<Consumer<ClientEvent>> more = new ArrayList<>(listeners);
        more.add(listener);
        listeners = List.copyOf(more);
        heard = true;
    }

    /** Removes a listener. A call under way may still reach it. */
    public synchronized void remove(Consumer<ClientEvent> listener) {
        List<Consumer<ClientEvent>> fewer = new ArrayList<>(listeners);
        fewer.remove(listener);
        listeners = List.copyOf(fewer);
        heard = !fewer.isEmpty();
    }

    public void publish(ClientEvent event) {
        for (Consumer<ClientEvent> listener : listeners) {
            listener.accept(event);
        }
    }
}
