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

    static byte[] document(
            GatewayView self, boolean ready, boolean draining, List<GatewayView> others, boolean mayOperate) {
        return JsonWriter.document(json -> {
            json.writeStartObject();
            json.writeArrayFieldStart("gateways");
            begin(json, self);
            json.writeBooleanField("self", true);
            json.writeBooleanField("ready", ready);
            json.writeBooleanField("draining", draining);
            json.writeEndObject();
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
