package io.flockgate.gateway.session;

import java.util.List;

/** Receives the events of an {@link EventFeed}. Its methods must not block or throw. */
public interface EventListener {
    /**
     * Requests that the listener call {@link EventFeed#deliver} soon, because an event waits. The
     * listener must not call it within this method, which runs under a lock of the feed. Called on
     * any thread.
     *
     * @return whether the listener will do so; false if it is not ready for events, and will call
     *     {@link EventFeed#deliver} as soon as it is
     */
    boolean wake();

    /** Passes events to the listener, in the order in which they were published. On any thread. */
    void accept(List<ClientEvent> events);
}
