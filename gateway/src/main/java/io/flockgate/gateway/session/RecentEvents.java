package io.flockgate.gateway.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.gateway.session.ClientEvent.EventType;
import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.ClientView;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the newest events in preallocated slots, so that recording one allocates nothing. Each
 * thread writes to one of a few rings, so event loops rarely contend. Thread safe.
 */
final class RecentEvents {
    /** A power of two. */
    private static final int RINGS = 8;

    private final Ring[] rings;
    private final int kept;

    /**
     * @param kept the maximum number of events; 0 to keep none
     */
    RecentEvents(int kept) {
        this.kept = kept;
        this.rings = new Ring[kept == 0 ? 0 : RINGS];
        for (int i = 0; i < rings.length; i++) {
            rings[i] = new Ring(kept);
        }
    }

    /** An event with its time. */
    private record Timed(long nanos, ClientEvent event) {}

    /** The fields of one event. Guarded by its ring. */
    private static final class Slot {
        long nanos;

        /** The time of day, the same for all readers; 0 until the first one needs it. */
        long millis;

        @Nullable
        EventType type;

        long clientId;

        @Nullable
        ClientDescription client;

        @Nullable
        String gateway;

        String process = "";

        @Nullable
        Key key;

        @Nullable
        Kind kind;

        long fence;

        @Nullable
        Object reason;

        ClientEvent event(EventType known, long offset) {
            if (millis == 0) {
                millis = (nanos + offset) / 1_000_000;
            }
            ClientDescription description = client;
            ClientView view = description == null ? null : new ClientView(clientId, description, gateway, process);
            return new ClientEvent(known, millis, view, key, kind, fence, text(reason));
        }
    }

    private static final class Ring {
        @GuardedBy("this")
        final Slot[] slots;

        @GuardedBy("this")
        int next;

        Ring(int size) {
            slots = new Slot[size];
            for (int i = 0; i < size; i++) {
                slots[i] = new Slot();
            }
        }

        @GuardedBy("this")
        Slot take(EventType type, @Nullable Key key, @Nullable Kind kind, long fence, @Nullable Object reason) {
            Slot slot = slots[next];
            next = next + 1 == slots.length ? 0 : next + 1;
            slot.nanos = System.nanoTime();
            slot.millis = 0;
            slot.type = type;
            slot.key = key;
            slot.kind = kind;
            slot.fence = fence;
            slot.reason = reason;
            return slot;
        }
    }

    static @Nullable String text(@Nullable Object reason) {
        return reason instanceof Enum<?> word ? word.name().toLowerCase(Locale.ROOT) : (String) reason;
    }

    boolean keeps() {
        return kept > 0;
    }

    /** The listeners to which an event is delivered, and its time for them. */
    record Delivery(List<EventListener> listeners, long millis) {}

    /**
     * Keeps an event of a client of this gateway. Returns null without listeners.
     *
     * @param reason a constant whose name is the text of the reason; null for none
     * @param listeners called while the ring is locked
     */
    @Nullable
    Delivery keep(
            EventType type,
            long clientId,
            ClientDescription client,
            @Nullable Key key,
            @Nullable Kind kind,
            long fence,
            @Nullable Enum<?> reason,
            Supplier<List<EventListener>> listeners) {
        Ring ring = ring();
        synchronized (ring) {
            Slot slot = ring.take(type, key, kind, fence, reason);
            slot.clientId = clientId;
            slot.client = client;
            slot.gateway = null;
            slot.process = "";
            Delivery delivery = delivery(listeners.get());
            slot.millis = delivery == null ? 0 : delivery.millis();
            return delivery;
        }
    }

    /** The delivery of an event that happens now; null without listeners. */
    static @Nullable Delivery delivery(List<EventListener> listeners) {
        return listeners.isEmpty() ? null : new Delivery(listeners, System.currentTimeMillis());
    }

    /**
     * Keeps an event. Returns the listeners at that moment.
     *
     * @param listeners called while the ring is locked
     */
    List<EventListener> keep(ClientEvent event, Supplier<List<EventListener>> listeners) {
        Ring ring = ring();
        synchronized (ring) {
            Slot slot = ring.take(event.type(), event.key(), event.kind(), event.fence(), event.reason());
            slot.millis = event.millis();
            ClientView client = event.client();
            slot.client = client == null ? null : client.description();
            slot.clientId = client == null ? 0 : client.id();
            slot.gateway = client == null ? null : client.gateway();
            slot.process = client == null ? "" : client.process();
            return listeners.get();
        }
    }

    private Ring ring() {
        return rings[(int) Thread.currentThread().threadId() & (RINGS - 1)];
    }

    /** The newest events, oldest first. No event is recorded while the action runs. */
    List<ClientEvent> newest(Runnable meanwhile) {
        List<Timed> found = new ArrayList<>();
        long offset = System.currentTimeMillis() * 1_000_000 - System.nanoTime();
        collect(0, offset, found, meanwhile);
        found.sort(Comparator.comparingLong(Timed::nanos));
        return found.subList(Math.max(0, found.size() - kept), found.size()).stream()
                .map(Timed::event)
                .toList();
    }

    /** Locks all rings, always in the same order. */
    private void collect(int at, long offset, List<Timed> found, Runnable meanwhile) {
        if (at == rings.length) {
            meanwhile.run();
            return;
        }
        Ring ring = rings[at];
        synchronized (ring) {
            for (Slot slot : ring.slots) {
                EventType type = slot.type;
                if (type != null) {
                    found.add(new Timed(slot.nanos, slot.event(type, offset)));
                }
            }
            collect(at + 1, offset, found, meanwhile);
        }
    }
}
