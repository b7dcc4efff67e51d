package io.flockgate.gateway.rest;

import com.fasterxml.jackson.core.JsonGenerator;
import io.flockgate.gateway.deadlock.Deadlock;
import io.flockgate.gateway.deadlock.Deadlock.Link;
import io.flockgate.gateway.deadlock.Deadlocks.Found;
import io.flockgate.gateway.stats.JsonDocument;
import io.flockgate.gateway.stats.JsonWriter;
import io.flockgate.text.Fences;
import java.io.IOException;

/** Writes deadlocks as JSON, in parts. On one thread. */
final class DeadlocksJson extends JsonDocument {
    static final int MAX_SHOWN = 100;
    static final int MAX_CLIENTS = 100;
    private static final int CLIENTS_PER_PART = 64;

    private final Found found;
    private final int shown;
    private boolean begun;

    /** The deadlocks that have been written, and the clients of the next one. */
    private int deadlocks;

    private int clients;

    DeadlocksJson(Found found) {
        this.found = found;
        this.shown = Math.min(found.deadlocks().size(), MAX_SHOWN);
    }

    @Override
    protected void writePart(JsonGenerator json) throws IOException {
        if (!begun) {
            begun = true;
            json.writeStartObject();
            json.writeNumberField("count", found.deadlocks().size());
            json.writeBooleanField("complete", found.complete());
            json.writeArrayFieldStart("deadlocks");
        }
        for (int written = 0; written < CLIENTS_PER_PART && deadlocks < shown; written++) {
            writeNextClient(json, found.deadlocks().get(deadlocks));
        }
        if (deadlocks == shown) {
            json.writeEndArray();
            json.writeEndObject();
            end();
        }
    }

    private void writeNextClient(JsonGenerator json, Deadlock deadlock) throws IOException {
        if (clients == 0) {
            json.writeStartObject();
            json.writeStringField("by", deadlock.isByName() ? "name" : "client");
            json.writeNumberField("client_count", deadlock.links().size());
            json.writeArrayFieldStart("clients");
        }
        write(json, deadlock.links().get(clients));
        clients++;
        if (clients == Math.min(deadlock.links().size(), MAX_CLIENTS)) {
            json.writeEndArray();
            json.writeEndObject();
            deadlocks++;
            clients = 0;
        }
    }

    private static void write(JsonGenerator json, Link link) throws IOException {
        json.writeStartObject();
        ClientJson.write(json, link.waiter().client());
        KeysJson.writeKey(json, "holds", link.held());
        json.writeStringField("fence", Fences.hex(link.holder().fence()));
        JsonWriter.writeSeconds(json, "held_s", link.holder().heldNanos());
        KeysJson.writeKey(json, "waits_for", link.wanted());
        JsonWriter.writeSeconds(json, "waiting_s", link.waiter().waitedNanos());
        if (!link.isOneClient()) {
            json.writeObjectFieldStart("holder");
            ClientJson.write(json, link.holder().client());
            json.writeEndObject();
        }
        json.writeEndObject();
    }
}
