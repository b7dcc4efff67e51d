package io.flockgate.gateway.rest;

import com.fasterxml.jackson.core.JsonGenerator;
import io.flockgate.gateway.stats.JsonWriter;
import io.flockgate.storage.GatewayView;
import java.io.IOException;
import java.time.Instant;
import java.util.List;

/**
 * Writes the gateways of a storage as JSON: first the one that answers, then the others, then
 * whether the client has the right to operate.
 */
final class GatewaysJson {
    private GatewaysJson() {}

    /**
     * Whether the gateway that answers accepts new work.
     *
     * @param drainReason the operator's reason; empty for none, or one that the client may not see
     */
    record Admits(boolean ready, boolean draining, String drainReason) {}

    static byte[] document(GatewayView self, Admits admits, List<GatewayView> others, boolean mayOperate) {
        return JsonWriter.document(json -> {
            json.writeStartObject();
            json.writeArrayFieldStart("gateways");
            self(json, self, admits);
            for (GatewayView each : others) {
                begin(json, each);
                json.writeBooleanField("alive", true);
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeBooleanField("may_operate", mayOperate);
            json.writeEndObject();
            json.writeRaw('\n');
        });
    }

    private static void self(JsonGenerator json, GatewayView self, Admits admits) throws IOException {
        begin(json, self);
        json.writeBooleanField("self", true);
        json.writeBooleanField("ready", admits.ready());
        json.writeBooleanField("draining", admits.draining());
        if (!admits.drainReason().isEmpty()) {
            json.writeStringField("drain_reason", admits.drainReason());
        }
        json.writeEndObject();
    }

    /** Unknown fields are left out. */
    private static void begin(JsonGenerator json, GatewayView gateway) throws IOException {
        json.writeStartObject();
        json.writeStringField("gateway", gateway.name());
        if (!gateway.version().isEmpty()) {
            json.writeStringField("version", gateway.version());
        }
        if (gateway.sinceSeconds() != 0) {
            json.writeStringField(
                    "since", Instant.ofEpochSecond(gateway.sinceSeconds()).toString());
        }
        if (!gateway.page().isEmpty()) {
            json.writeStringField("page", gateway.page());
        }
    }
}
