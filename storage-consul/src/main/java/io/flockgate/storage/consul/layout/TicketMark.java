package io.flockgate.storage.consul.layout;

import io.flockgate.storage.Kind;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The value of a ticket. A ticket is a place in a key's queue. A gateway keeps the fields that it does not know. It leaves a ticket of
 * an unknown version or kind alone.
 *
 * @param gateway the name of the gateway's process
 * @param kind the kind that the waiter expects of the key
 * @param limit the limit that the waiter expects of the key
 * @param touches rises when a head that cannot take its slot shows that its gateway is alive
 * @param offer the grant that any gateway may make to the waiter when it frees a slot; null when only the waiter's gateway may.
 *     The lease of an offer is silent and ends only with its session. So the waiter's gateway may see the grant late
 */
public record TicketMark(
        String gateway,
        Kind kind,
        long limit,
        long touches,
        @Nullable PendingGrant offer,
        Map<String, Object> others) {
    private static final Set<String> FIELDS = Set.of("gw", "kind", "limit", "touches", "offer");
    private static final Set<String> OFFER_FIELDS = Set.of("session", "nonce", "lease_ms", "tok", "ttl_ms", "node");
    private static final String REMOVED = "removed";
    private static final String LOCK = "lock";
    private static final String SEMAPHORE = "semaphore";

    public TicketMark(String gateway, Kind kind, long limit, long touches, @Nullable PendingGrant offer) {
        this(gateway, kind, limit, touches, offer, Map.of());
    }

    public TicketMark(String gateway, Kind kind, long limit, long touches) {
        this(gateway, kind, limit, touches, null);
    }

    public TicketMark touched() {
        return new TicketMark(gateway, kind, limit, touches + 1, offer, others);
    }

    /** The ticket of a waiter that an operator has taken out of the queue. Nobody can grant it any more. */
    public TicketMark removed() {
        Map<String, Object> marked = new HashMap<>(others);
        marked.put(REMOVED, true);
        return new TicketMark(gateway, kind, limit, touches, null, marked);
    }

    /** Whether an operator has taken the waiter out of the queue. */
    public boolean isRemoved() {
        return Boolean.TRUE.equals(others.get(REMOVED));
    }

    /** The ticket of this client. */
    public TicketMark of(@Nullable ClientMark client) {
        return new TicketMark(gateway, kind, limit, touches, offer, ClientMark.in(others, client));
    }

    /** The client that waits; null when the ticket does not tell. */
    public @Nullable ClientMark client() {
        return ClientMark.of(others);
    }

    public byte[] toBytes() {
        JsonObject json = MarkParser.version()
                .put("gw", gateway)
                .put("kind", kind == Kind.LOCK ? LOCK : SEMAPHORE)
                .put("limit", limit)
                .put("touches", touches);
        if (offer != null) {
            json.put("offer", toJson(offer));
        }
        others.forEach(json::put);
        return json.toBuffer().getBytes();
    }

    private static JsonObject toJson(PendingGrant offer) {
        HolderMark mark = offer.mark();
        JsonObject json = new JsonObject()
                .put("session", offer.session())
                .put("nonce", mark.nonce())
                .put("lease_ms", mark.leaseMillis())
                .put("tok", mark.hash());
        mark.origin().addTo(json);
        mark.others().forEach(json::put);
        return json;
    }

    /** Reads a mark. Null when the value is not a gateway's ticket of a known version and kind. */
    public static @Nullable TicketMark parse(byte[] value) {
        return MarkParser.parseVersion(value, json -> {
            String gateway = MarkParser.text(json, "gw");
            long limit = MarkParser.whole(json, "limit", 0, 0);
            Kind kind = kind(MarkParser.text(json, "kind"));
            if (gateway == null || kind == null || limit == 0) {
                return null;
            }
            PendingGrant offer =
                    json.getValue("offer") instanceof JsonObject offered ? offer(gateway, kind, limit, offered) : null;
            long touches = MarkParser.whole(json, "touches", 0, 0);
            return new TicketMark(gateway, kind, limit, touches, offer, MarkParser.others(json, FIELDS));
        });
    }

    private static @Nullable Kind kind(@Nullable String name) {
        if (LOCK.equals(name)) {
            return Kind.LOCK;
        }
        return SEMAPHORE.equals(name) ? Kind.SEMAPHORE : null;
    }

    private static @Nullable PendingGrant offer(String gateway, Kind kind, long limit, JsonObject json) {
        String session = MarkParser.text(json, "session");
        String nonce = MarkParser.text(json, "nonce");
        long lease = MarkParser.whole(json, "lease_ms", -1, -1);
        String hash = MarkParser.text(json, "tok");
        if (session == null || nonce == null || lease < 0 || hash == null) {
            return null;
        }
        // Fields that this gateway does not know belong to the mark of the grant.
        Map<String, Object> others = MarkParser.others(json, OFFER_FIELDS);
        HolderMark mark = new HolderMark(gateway, nonce, 0, lease, true, 0, hash, SessionOrigin.in(json), others);
        return new PendingGrant(kind, limit, session, mark, 0);
    }
}
