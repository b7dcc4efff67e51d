package io.flockgate.gateway.rest;

import com.fasterxml.jackson.core.JsonGenerator;
import io.flockgate.gateway.deadlock.Deadlocks.Deadlock;
import io.flockgate.gateway.deadlock.Deadlocks.Found;
import io.flockgate.gateway.deadlock.Deadlocks.Link;
import io.flockgate.gateway.stats.ChunkedWriter.Document;
import io.flockgate.gateway.stats.JsonWriter;
import io.flockgate.text.Fences;
import java.io.IOException;
import java.util.stream.Stream;

/** Writes deadlocks as JSON. */
final class DeadlocksJson {
    private static final int MAX_SHOWN = 100;
    private static final int MAX_CLIENTS = 100;

    private DeadlocksJson() {}

    static Document of(Found found) {
        return JsonWriter.inParts(
                Stream.of(json -> {
                    json.writeStartObject();
                    json.writeNumberField("count", found.deadlocks().size());
                    json.writeBooleanField("complete", found.complete());
                    json.writeArrayFieldStart("deadlocks");
                }),
                found.deadlocks().stream().limit(MAX_SHOWN).map(each -> json -> write(json, each)),
                Stream.of(json -> {
                    json.writeEndArray();
                    json.writeEndObject();
                }));
    }

    private static void write(JsonGenerator json, Deadlock deadlock) throws IOException {
        json.writeStartObject();
        json.writeStringField("by", deadlock.isByName() ? "name" : "client");
        json.writeNumberField("client_count", deadlock.links().size());
        json.writeArrayFieldStart("clients");
        for (Link link : deadlock.links().subList(0, Math.min(deadlock.links().size(), MAX_CLIENTS))) {
            write(json, link);
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void write(JsonGenerator json, Link link) throws IOException {
        json.writeStartObject();
        KeysJson.writeClient(json, link.waiter().client());
        KeysJson.writeKey(json, "holds", link.held());
        json.writeStringField("fence", Fences.hex(link.holder().fence()));
        JsonWriter.writeSeconds(json, "held_s", link.holder().heldNanos());
        KeysJson.writeKey(json, "waits_for", link.wanted());
        JsonWriter.writeSeconds(json, "waiting_s", link.waiter().waitedNanos());
        if (!link.isOneClient()) {
            json.writeObjectFieldStart("holder");
            KeysJson.writeClient(json, link.holder().client());
            json.writeEndObject();
        }
        json.writeEndObject();
    }
}
