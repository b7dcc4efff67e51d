package io.flockgate.storage.consul.layout;

import io.flockgate.storage.Kind;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * The value of a ticket. A ticket is a place in a key's queue.
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
        @Nullable PendingGrant offer) {
    public TicketMark(String gateway, Kind kind, long limit, long touches) {
        this(gateway, kind, limit, touches, null);
    }

    public TicketMark touched() {
        return new TicketMark(gateway, kind, limit, touches + 1, offer);
    }

    public byte[] toBytes() {
        JsonObject json = new JsonObject()
                .put("gw", gateway)
                .put("kind", kind == Kind.LOCK ? "lock" : "semaphore")
                .put("limit", limit)
                .put("touches", touches);
        if (offer != null) {
            json.put("offer", toJson(offer));
        }
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
        return json;
    }

    /** Reads a mark. Null when the value is not a gateway's ticket. */
    public static @Nullable TicketMark parse(byte[] value) {
        return MarkParser.parse(value, json -> {
            String gateway = json.getString("gw");
            Long limit = json.getLong("limit");
            if (gateway == null || limit == null || limit < 1) {
                return null;
            }
            Kind kind = "lock".equals(json.getString("kind")) ? Kind.LOCK : Kind.SEMAPHORE;
            JsonObject offered = json.getJsonObject("offer");
            PendingGrant offer = offered == null ? null : offer(gateway, kind, limit, offered);
            return new TicketMark(gateway, kind, limit, json.getLong("touches", 0L), offer);
        });
    }

    private static @Nullable PendingGrant offer(String gateway, Kind kind, long limit, JsonObject json) {
        String session = json.getString("session");
        String nonce = json.getString("nonce");
        Long lease = json.getLong("lease_ms");
        String hash = json.getString("tok");
        if (session == null || nonce == null || lease == null || hash == null) {
            return null;
        }
        HolderMark mark = new HolderMark(gateway, nonce, 0, lease, true, 0, hash, SessionOrigin.in(json));
        return new PendingGrant(kind, limit, session, mark, 0);
    }
}
