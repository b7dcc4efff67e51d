package io.flockgate.gateway.session;

import io.flockgate.gateway.session.ClientEvent.EventType;
import io.flockgate.gateway.session.RecentEvents.Delivery;
import io.flockgate.storage.ClientView;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Publishes what happens to clients to its listeners, and keeps the newest events for later
 * listeners. An event allocates nothing while there are no listeners. Thread safe.
 */
public final class EventFeed {
    /** The number of events that a gateway keeps. */
    public static final int KEPT = 200;

    private final RecentEvents recent;
    private final Supplier<List<Consumer<ClientEvent>>> current = this::listeners;
    private volatile List<Consumer<ClientEvent>> listeners = List.of();

    /** A feed that keeps no events. */
    public EventFeed() {
        this(0);
    }

    private EventFeed(int kept) {
        this.recent = new RecentEvents(kept);
    }

    /** A feed that keeps its newest events. */
    public static EventFeed keeping() {
        return new EventFeed(KEPT);
    }

    private List<Consumer<ClientEvent>> listeners() {
        return listeners;
    }

    /** Whether an event reaches a listener or is kept. */
    public boolean isHeard() {
        return recent.keeps() || !listeners.isEmpty();
    }

    /** Adds a listener. It is called on any thread, must not block and must not throw. */
    public synchronized void add(Consumer<ClientEvent> listener) {
        listeners = with(listener);
    }

    /**
     * Adds a listener, as {@link #add}, and returns the kept events that precede those it receives,
     * oldest first. No event is lost or duplicated in between.
     */
    public synchronized List<ClientEvent> addAfter(Consumer<ClientEvent> listener) {
        List<Consumer<ClientEvent>> more = with(listener);
        return recent.newest(() -> listeners = more);
    }

    private List<Consumer<ClientEvent>> with(Consumer<ClientEvent> listener) {
        List<Consumer<ClientEvent>> more = new ArrayList<>(listeners);
        more.add(listener);
        return List.copyOf(more);
    }

    /** Removes a listener. A call under way may still reach it. */
    public synchronized void remove(Consumer<ClientEvent> listener) {
        List<Consumer<ClientEvent>> fewer = new ArrayList<>(listeners);
        fewer.remove(listener);
        listeners = List.copyOf(fewer);
    }

    public void publish(ClientEvent event) {
        deliver(recent.keeps() ? recent.keep(event, current) : listeners, event);
    }

    /** Publishes what has happened to a client of this gateway. */
    void publish(
            EventType type,
            WatchedSession session,
            @Nullable Key key,
            @Nullable Kind kind,
            long fence,
            @Nullable Enum<?> reason) {
        Delivery delivery = recent.keeps()
                ? recent.keep(type, session.id(), session.description(), key, kind, fence, reason, current)
                : RecentEvents.delivery(listeners);
        if (delivery != null) {
            ClientView client = new ClientView(session.id(), session.description(), null, "");
            deliver(
                    delivery.listeners(),
                    new ClientEvent(type, delivery.millis(), client, key, kind, fence, RecentEvents.text(reason)));
        }
    }

    private static void deliver(List<Consumer<ClientEvent>> receivers, ClientEvent event) {
        for (Consumer<ClientEvent> listener : receivers) {
            listener.accept(event);
        }
    }
}
