package io.flockgate.gateway.session;

import java.util.ArrayList;
import java.util.List;

/** Receives events of a feed when a test reads them. */
final class HeardEvents implements EventListener {
    private final EventFeed feed;
    private final List<ClientEvent> received = new ArrayList<>();

    HeardEvents(EventFeed feed) {
        this.feed = feed;
    }

    @Override
    public boolean wake() {
        return false;
    }

    @Override
    public void accept(List<ClientEvent> events) {
        received.addAll(events);
    }

    /** Returns all events since the last call. */
    List<ClientEvent> take() {
        feed.deliver();
        List<ClientEvent> taken = List.copyOf(received);
        received.clear();
        return taken;
    }
}
