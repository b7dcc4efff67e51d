package io.flockgate.storage.consul.layout;

import io.flockgate.storage.Kind;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * What a gateway writes into a ticket, a place in a key's queue.
 *
 * @param gateway the name of the gateway's process
 * @param kind what the waiter takes the key to be
 * @param limit how many slots the waiter takes the key to have
 * @param touches rises when a head that cannot take its slot shows that it lives
 * @param offer by which others may give the waiter a slot; null when they may not
 */
public record TicketMark(
        String gateway,
        Kind kind,
        long limit,
        long touches,
        @Nullable Offer offer) {
    public TicketMark(String gateway, Kind kind, long limit, long touches) {
        this(gateway, kind, limit, touches, null);
    }

    public TicketMark touched() {
        return new TicketMark(gateway, kind, limit, touches + 1, offer);
    }

    /** The grant that anybody may make to this waiter; null when nobody but its own gateway may. */
    public Transactions.@Nullable Grantee offered() {
        return offer == null ? null : new Transactions.Grantee(kind, limit, offer.session(), offer.mark(gateway));
    }

    public byte[] toBytes() {
        JsonObject json = new JsonObject()
                .put("gw", gateway)
                .put("kind", kind == Kind.LOCK ? "lock" : "semaphore")
                .put("limit", limit)
                .put("touches", touches);
        if (offer != null) {
            json.put("offer", offer.toJson());
        }
        return json.toBuffer().getBytes();
    }

    /** Null when this is no gateway's ticket. */
    public static @Nullable TicketMark parse(byte[] value) {
        return MarkParser.parse(value, json -> {
            String gateway = json.getString("gw");
            Long limit = json.getLong("limit");
            if (gateway == null || limit == null || limit < 1) {
                return null;
            }
            Kind kind = "lock".equals(json.getString("kind")) ? Kind.LOCK : Kind.SEMAPHORE;
            return new TicketMark(
                    gateway, kind, limit, json.getLong("touches", 0L), Offer.of(json.getJsonObject("offer")));
        });
    }
}
