package io.flockgate.gateway.session;

import io.flockgate.gateway.session.ClientEvent.EventType;
import io.flockgate.gateway.session.RecentEvents.Delivery;
import io.flockgate.storage.ClientView;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Publishes client events to its listeners in batches, and keeps the newest ones for listeners that
 * join later. An event allocates nothing while there are no listeners. Thread safe.
 */
public final class EventFeed {
    /** The number of events that a gateway keeps. */
    public static final int KEPT = 200;

    private final RecentEvents recent;
    private final EventBatch batch = new EventBatch();

    /**
     * Read while a ring of {@link RecentEvents} is locked, so that {@link #addAfter} neither loses
     * nor duplicates an event.
     */
    private final Supplier<List<EventListener>> current = this::listeners;

    private volatile List<EventListener> listeners = List.of();

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

    private List<EventListener> listeners() {
        return listeners;
    }

    /** Whether an event would reach a listener or be kept. */
    public boolean isHeard() {
        return recent.keeps() || !listeners.isEmpty();
    }

    /** Adds a listener. */
    public synchronized void add(EventListener listener) {
        listeners = with(listener);
    }

    /**
     * Adds a listener like {@link #add}, and returns the kept events that precede the first one it
     * receives, oldest first. No event is lost or duplicated in between.
     */
    public synchronized List<ClientEvent> addAfter(EventListener listener) {
        List<EventListener> more = with(listener);
        return recent.newest(() -> listeners = more);
    }

    private List<EventListener> with(EventListener listener) {
        List<EventListener> more = new ArrayList<>(listeners);
        more.add(listener);
        return List.copyOf(more);
    }

    /** Removes a listener. Events that have already happened may still reach it. */
    public synchronized void remove(EventListener listener) {
        List<EventListener> fewer = new ArrayList<>(listeners);
        fewer.remove(listener);
        listeners = List.copyOf(fewer);
    }

    public void publish(ClientEvent event) {
        List<EventListener> receivers = recent.keeps() ? recent.keep(event, current) : listeners;
        if (!receivers.isEmpty()) {
            batch.add(event, receivers);
        }
    }

    /** Passes the waiting events to their listeners. */
    public void deliver() {
        batch.deliver();
    }

    /** Publishes an event of one of this gateway's clients. */
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
            batch.add(
                    new ClientEvent(type, delivery.millis(), client, key, kind, fence, RecentEvents.text(reason)),
                    delivery.listeners());
        }
    }
}
