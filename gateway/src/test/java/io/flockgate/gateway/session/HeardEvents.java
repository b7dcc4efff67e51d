package io.flockgate.gateway.session;

import java.util.List;

/** Reads the events of a feed when a test asks for them. */
final class HeardEvents {
    private final EventFeed feed;
    private long cursor;

    HeardEvents(EventFeed feed) {
        this.feed = feed;
    }

    /** Returns all events since the last call. */
    List<ClientEvent> take() {
        EventFeed.Part part = feed.read(cursor, Integer.MAX_VALUE);
        cursor = part.next();
        return part.events();
    }
}
