package io.flockgate.gateway.rest;

import com.fasterxml.jackson.core.JsonGenerator;
import io.flockgate.gateway.deadlock.Deadlocks.Deadlock;
import io.flockgate.gateway.deadlock.Deadlocks.Found;
import io.flockgate.gateway.deadlock.Deadlocks.Link;
import io.flockgate.gateway.http.Reply;
import io.flockgate.gateway.stats.JsonWriter;
import io.flockgate.text.Fences;
import java.io.IOException;
import java.util.List;

/** Writes deadlocks as JSON. */
final class DeadlocksJson {
    private static final int MAX_SHOWN = 100;
    private static final int MAX_CLIENTS = 100;

    private DeadlocksJson() {}

    static Reply of(Found found) {
        List<Deadlock> all = found.deadlocks();
        return Reply.json(200, json -> {
            json.writeStartObject();
            json.writeNumberField("count", all.size());
            json.writeBooleanField("complete", found.complete());
            json.writeArrayFieldStart("deadlocks");
            for (Deadlock each : all.subList(0, Math.min(all.size(), MAX_SHOWN))) {
                write(json, each);
            }
            json.writeEndArray();
            json.writeEndObject();
        });
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
