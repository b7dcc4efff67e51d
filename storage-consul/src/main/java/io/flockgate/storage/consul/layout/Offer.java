package io.flockgate.storage.consul.layout;

import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * What a waiter's gateway offers to those who free a slot, so that they can give it to the waiter in the same write. Only for
 * leases that are renewed silently: nobody ends those but the session, so it does no harm if the gateway hears late.
 *
 * @param session that is to hold the slot
 * @param nonce of the grant
 * @param leaseMillis the lease
 * @param hash of nonce and token's random half, in hexadecimal
 */
public record Offer(String session, String nonce, long leaseMillis, String hash) {
    /** What a grant of this mark is offered by. */
    public static Offer of(String session, HolderMark mark) {
        return new Offer(session, mark.nonce(), mark.leaseMillis(), mark.hash());
    }

    /** The mark of the grant that is made of it. */
    HolderMark mark(String gateway) {
        return new HolderMark(gateway, nonce, 0, leaseMillis, true, 0, hash);
    }

    JsonObject toJson() {
        return new JsonObject()
                .put("session", session)
                .put("nonce", nonce)
                .put("lease_ms", leaseMillis)
                .put("tok", hash);
    }

    static @Nullable Offer of(@Nullable JsonObject json) {
        if (json == null) {
            return null;
        }
        String session = json.getString("session");
        String nonce = json.getString("nonce");
        Long lease = json.getLong("lease_ms");
        String hash = json.getString("tok");
        return session == null || nonce == null || lease == null || hash == null
                ? null
                : new Offer(session, nonce, lease, hash);
    }
}
