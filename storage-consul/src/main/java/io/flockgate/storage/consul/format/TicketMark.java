package io.flockgate.storage.consul.format;

import io.flockgate.storage.Kind;
import io.flockgate.storage.consul.json.JsonValue.JsonObject;
import io.flockgate.storage.consul.kv.KvEntry;
import java.util.Comparator;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The value of a ticket, which is a place in a key's queue. A gateway keeps unknown fields, and
 * leaves a ticket of an unknown version or kind alone.
 *
 * @param gateway the name of the gateway's process
 * @param kind the kind that the waiter expects of the key
 * @param limit the limit that the waiter expects of the key
 * @param touches rises when a head that cannot take its slot shows that its gateway is alive
 */
public record TicketMark(String gateway, Kind kind, long limit, long touches, JsonObject others) {
    private static final Set<String> FIELDS = Values.fields("gw", "kind", "limit", "touches");
    private static final String REMOVED = "removed";
    private static final String ACT_MILLIS = "act_ms";

    /**
     * The milliseconds within which a living head acts on a free slot, unless its ticket states
     * more.
     */
    public static final long LEAST_ACT_MILLIS = 2_000;

    /** A ticket that states more does not delay the others for longer. */
    public static final long MAX_ACT_MILLIS = 60_000;

    /**
     * The part of that time that is reserved for the grant. A third of the rest is reserved for the
     * reads themselves.
     */
    private static final long GRANT_MILLIS = 500;

    public TicketMark(String gateway, Kind kind, long limit, long touches) {
        this(gateway, kind, limit, touches, JsonObject.EMPTY);
    }

    public TicketMark touched() {
        return new TicketMark(gateway, kind, limit, touches + 1, others);
    }

    /**
     * The ticket of a waiter that an operator has taken out of the queue. It can no longer be
     * granted.
     */
    public TicketMark removed() {
        return with(others.toBuilder().putTrue(REMOVED).build());
    }

    private TicketMark with(JsonObject fields) {
        return new TicketMark(gateway, kind, limit, touches, fields);
    }

    /** Whether an operator has taken the waiter out of the queue. */
    public boolean isRemoved() {
        return Values.isTrue(others, REMOVED);
    }

    /** The ticket of a waiter that, as the head, acts on a free slot within this time. */
    public TicketMark acting(long millis) {
        return millis == LEAST_ACT_MILLIS
                ? this
                : with(others.toBuilder().put(ACT_MILLIS, millis).build());
    }

    /**
     * The milliseconds within which a head acts on a free slot, if its key is read after pauses of
     * this length.
     */
    public static long actMillisFor(long pauseMillis) {
        return Math.min(Math.max(LEAST_ACT_MILLIS, pauseMillis / 2 * 3 + GRANT_MILLIS), MAX_ACT_MILLIS);
    }

    /** The longest pause between two reads of its key with which a head acts within this time. */
    public static long pauseMillisFor(long actMillis) {
        return (actMillis - GRANT_MILLIS) / 3 * 2;
    }

    /**
     * The milliseconds within which the waiter, as the head, acts on a free slot while it is alive.
     */
    public long actMillis() {
        long stated = Values.whole(others, ACT_MILLIS, LEAST_ACT_MILLIS, MAX_ACT_MILLIS);
        return Math.min(Math.max(stated, LEAST_ACT_MILLIS), MAX_ACT_MILLIS);
    }

    /** The ticket of this client. */
    public TicketMark of(@Nullable ClientMark client) {
        return with(ClientMark.in(others, client));
    }

    /** The client that waits; null when the ticket does not name it. */
    public @Nullable ClientMark client() {
        return ClientMark.of(others);
    }

    public byte[] toBytes() {
        JsonObject.Builder json = Values.version()
                .put("gw", gateway)
                .put("kind", text(kind))
                .put("limit", limit)
                .put("touches", touches);
        return json.putAll(others).toBytes();
    }

    private static String text(Kind kind) {
        return switch (kind) {
            case LOCK -> "lock";
            case SEMAPHORE -> "semaphore";
        };
    }

    private static @Nullable Kind kind(@Nullable String text) {
        return switch (text) {
            case "lock" -> Kind.LOCK;
            case "semaphore" -> Kind.SEMAPHORE;
            case null, default -> null;
        };
    }

    /** Reads a mark. Null when the value is not a gateway's ticket of a known version and kind. */
    public static @Nullable TicketMark parse(byte[] value) {
        return Values.parseVersion(value, json -> {
            String gateway = Values.text(json, "gw");
            long limit = Values.whole(json, "limit", 0, 0);
            Kind kind = kind(Values.text(json, "kind"));
            if (gateway == null || kind == null || limit == 0) {
                return null;
            }
            long touches = Values.whole(json, "touches", 0, 0);
            return new TicketMark(gateway, kind, limit, touches, json.without(FIELDS));
        });
    }

    /** A ticket in a key's queue. */
    public record QueuedTicket(String name, TicketMark mark, KvEntry entry) {
        /** The order of the queue: by CreateIndex, and by name for tickets of one write. */
        static final Comparator<QueuedTicket> ORDER = Comparator.comparingLong(
                        (QueuedTicket each) -> each.entry().createIndex())
                .thenComparing(QueuedTicket::name);
    }
}
