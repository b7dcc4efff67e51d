package io.flockgate.storage.consul.layout;

import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * Where the session of a grant comes from. Other gateways need it when the session ends before the grant.
 *
 * @param node the node in Consul's catalog that the session belongs to; null when it is not known
 * @param ttlMillis the time for which the grant's gateway believes in the session after a renewal; 0 when it is not known
 */
public record SessionOrigin(@Nullable String node, long ttlMillis) {
    public static final SessionOrigin UNKNOWN = new SessionOrigin(null, 0);

    void addTo(JsonObject json) {
        if (ttlMillis != 0) {
            json.put("ttl_ms", ttlMillis);
        }
        if (node != null) {
            json.put("node", node);
        }
    }

    static SessionOrigin in(JsonObject json) {
        return new SessionOrigin(json.getString("node"), json.getLong("ttl_ms", 0L));
    }
}
