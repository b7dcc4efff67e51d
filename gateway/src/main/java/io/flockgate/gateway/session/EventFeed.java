package io.flockgate.gateway.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.session.ClientEvent.EventType;
import io.flockgate.storage.Claim;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.ClientView;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the newest {@value #SLOTS} client events of a gateway in one ring of preallocated slots, so
 * that an event without a reader allocates nothing. Thread safe.
 *
 * <ol>
 *   <li>An event gets the next number and its slot, and wakes the readers.
 *   <li>Each reader reads on from its cursor, the number of the next event that it has not read, on
 *       a thread of its own.
 *   <li>A reader whose cursor has been overtaken by the ring learns how many events it has missed.
 * </ol>
 */
public final class EventFeed implements SessionEvents {
    /** A power of two. */
    static final int SLOTS = 1_024;

    private final List<Runnable> readers = new CopyOnWriteArrayList<>();

    @GuardedBy("this")
    private final Slot[] slots = new Slot[SLOTS];

    /** The number of the next event. */
    @GuardedBy("this")
    private long next;

    /** The fields of one event. Guarded by the feed. */
    private static final class Slot {
        long nanos;
        EventType type = EventType.GRANTED;
        long clientId;
        ClientDescription client = ClientDescription.UNKNOWN;

        @Nullable
        Key key;

        @Nullable
        Kind kind;

        long fence;

        @Nullable
        Enum<?> reason;

        /** The event as the first reader has made it, or as it was published. */
        @Nullable
        ClientEvent event;

        /** The same object for all readers, because the time of day must not differ. */
        ClientEvent event() {
            if (event == null) {
                long millis = System.currentTimeMillis() - (System.nanoTime() - nanos) / 1_000_000;
                String why = reason == null ? null : reason.name().toLowerCase(Locale.ROOT);
                event = new ClientEvent(
                        type, millis, new ClientView(clientId, client, null, ""), key, kind, fence, 0, why);
            }
            return event;
        }
    }

    /**
     * Events that follow a cursor.
     *
     * @param missed the number of events that were overwritten before they could be read
     * @param next the cursor after these events
     */
    public record Part(List<ClientEvent> events, long missed, long next) {}

    public EventFeed() {
        Arrays.setAll(slots, ignored -> new Slot());
    }

    /**
     * Adds a reader.
     *
     * @param wake called after each event, on any thread; must not block or throw
     */
    public void add(Runnable wake) {
        readers.add(wake);
    }

    public void remove(Runnable wake) {
        readers.remove(wake);
    }

    /** The cursor of the oldest event that is kept. */
    public synchronized long oldest() {
        return Math.max(0, next - SLOTS);
    }

    /** Reads at most this many events from a cursor on. */
    public synchronized Part read(long cursor, int most) {
        long from = Math.max(cursor, oldest());
        long to = Math.min(next, from + most);
        List<ClientEvent> events = new ArrayList<>((int) (to - from));
        for (long number = from; number < to; number++) {
            events.add(slots[(int) number & SLOTS - 1].event());
        }
        return new Part(events, from - cursor, to);
    }

    public void publish(ClientEvent event) {
        synchronized (this) {
            slots[(int) next++ & SLOTS - 1].event = event;
        }
        readers.forEach(Runnable::run);
    }

    @Override
    public void began(Claimant session) {
        publish(EventType.SESSION_BEGAN, session, null, null, 0, null);
    }

    @Override
    public void left(Claimant session) {
        publish(EventType.SESSION_ENDED, session, null, null, 0, null);
    }

    @Override
    public void queued(Claimant session, Claim claim) {
        publish(EventType.QUEUED, session, claim.key(), claim.kind(), 0, null);
    }

    @Override
    public void grantedAtOnce(Claimant session, Grant grant) {
        publish(EventType.GRANTED, session, grant.key(), grant.kind(), grant.fence(), null);
    }

    @Override
    public void grantedAfter(Claimant session, Grant grant, long waitedNanos) {
        grantedAtOnce(session, grant);
    }

    @Override
    public void ended(Claimant session, Grant grant, long heldNanos, Ending ending) {
        publish(EventType.of(ending), session, grant.key(), grant.kind(), grant.fence(), null);
    }

    @Override
    public void refused(Claimant session, Claim claim, Enum<?> reason) {
        publish(EventType.REFUSED, session, claim.key(), claim.kind(), 0, reason);
    }

    /**
     * @param reason a constant whose name is the text of the reason; null for none
     */
    private void publish(
            EventType type,
            Claimant session,
            @Nullable Key key,
            @Nullable Kind kind,
            long fence,
            @Nullable Enum<?> reason) {
        long now = EventLoop.time();
        synchronized (this) {
            Slot slot = slots[(int) next++ & SLOTS - 1];
            slot.nanos = now;
            slot.type = type;
            slot.clientId = session.id();
            slot.client = session.description();
            slot.key = key;
            slot.kind = kind;
            slot.fence = fence;
            slot.reason = reason;
            slot.event = null;
        }
        readers.forEach(Runnable::run);
    }
}
