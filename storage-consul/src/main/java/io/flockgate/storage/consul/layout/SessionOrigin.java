package io.flockgate.storage.consul.layout;

import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * Where the session of a grant comes from. Other gateways need it when the session ends before the grant.
 *
 * @param node the node in Consul's catalog that the session belongs to; null when it is not known
 * @param ttlMillis the time for which the holder may believe in the session after a renewal; 0 when it is not known
 * @param detached whether the session holds this grant alone, and does not end with the grant's gateway
 */
public record SessionOrigin(@Nullable String node, long ttlMillis, boolean detached) {
    public static final SessionOrigin UNKNOWN = new SessionOrigin(null, 0, false);

    /** The origin of a renewed grant. Nobody but the lease ends a detached one, so its holder believes in it as long. */
    SessionOrigin renewed(long leaseMillis) {
        return detached ? new SessionOrigin(node, leaseMillis, true) : this;
    }

    void addTo(JsonObject json) {
        if (ttlMillis != 0) {
            json.put("ttl_ms", ttlMillis);
        }
        if (node != null) {
            json.put("node", node);
        }
        if (detached) {
            json.put("detached", true);
        }
    }

    static SessionOrigin in(JsonObject json) {
        return new SessionOrigin(
                MarkParser.text(json, "node"),
                MarkParser.whole(json, "ttl_ms", 0, Long.MAX_VALUE),
                MarkParser.isTrue(json, "detached"));
    }
}
