package io.flockgate.storage.consul.format;

import io.flockgate.storage.consul.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * The origin of the session of a grant. Other members need it when the session ends before the
 * grant.
 *
 * @param node the node in Consul's catalog that the session belongs to; null when it is not known
 * @param ttlMillis the time for which the holder may trust the session after a renewal; 0 when it
 *     is not known
 * @param detached whether the session holds this grant alone, and does not end with the grant's
 *     gateway
 */
public record SessionOrigin(@Nullable String node, long ttlMillis, boolean detached) {
    public static final SessionOrigin UNKNOWN = new SessionOrigin(null, 0, false);

    /**
     * The origin of a renewed grant. A detached session ends only with its lease, so the holder
     * trusts it for the length of the lease.
     */
    SessionOrigin renewed(long leaseMillis) {
        return detached ? new SessionOrigin(node, leaseMillis, true) : this;
    }

    void addTo(JsonObject.Builder json) {
        if (ttlMillis != 0) {
            json.put("ttl_ms", ttlMillis);
        }
        if (node != null) {
            json.put("node", node);
        }
        if (detached) {
            json.putTrue("detached");
        }
    }

    static SessionOrigin in(JsonObject json) {
        return new SessionOrigin(
                Values.text(json, "node"),
                Values.whole(json, "ttl_ms", 0, Long.MAX_VALUE),
                Values.isTrue(json, "detached"));
    }
}
