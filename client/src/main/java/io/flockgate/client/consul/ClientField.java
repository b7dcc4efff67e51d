package io.flockgate.client.consul;

import io.flockgate.client.json.JsonObject;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * The fields of marks and tickets that say who this client is. They are for operators only (protocol-docs/consul-layout.md, "Clients").
 *
 * @param name the name that the user has given; null without one
 */
record ClientField(@Nullable String name, InstantSource clock) {
    /** Adds the client and the time to a mark or a ticket that is made now. */
    JsonObject.Builder addTo(JsonObject.Builder value) {
        JsonObject.Builder client = JsonObject.builder().put("via", "consul");
        if (name != null) {
            client.put("name", name);
        }
        return value.put("client", client.build()).put("since", clock.instant().getEpochSecond());
    }
}
