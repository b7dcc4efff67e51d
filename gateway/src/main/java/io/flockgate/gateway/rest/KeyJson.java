package io.flockgate.gateway.rest;

import com.fasterxml.jackson.core.JsonGenerator;
import io.flockgate.gateway.http.Reply;
import io.flockgate.gateway.stats.JsonWriter;
import io.flockgate.storage.Age;
import io.flockgate.storage.KeyDetail;
import io.flockgate.storage.KeyDetail.HolderView;
import io.flockgate.storage.KeyDetail.WaiterView;
import io.flockgate.storage.WaitCounts;
import io.flockgate.text.Fences;
import java.io.IOException;
import java.time.Instant;

/**
 * Writes one key with a page of its holders and the beginning of its queue as JSON. Never shows a
 * token or the id of a session.
 */
final class KeyJson {
    private KeyJson() {}

    static Reply of(KeyDetail key) {
        return Reply.json(200, json -> {
            begin(json, key);
            for (HolderView each : key.holders()) {
                write(json, each);
            }
            json.writeEndArray();
            json.writeArrayFieldStart("queue");
            for (int i = 0; i < key.waiters().size(); i++) {
                write(json, i + 1, key.waiters().get(i));
            }
            end(json, key);
        });
    }

    private static void begin(JsonGenerator json, KeyDetail key) throws IOException {
        json.writeStartObject();
        KeysJson.writeName(json, key.summary());
        json.writeNumberField("holder_count", key.summary().holders());
        json.writeNumberField("waiter_count", key.summary().waiters());
        if (!key.waits().equals(WaitCounts.NONE)) {
            json.writeArrayFieldStart("waits");
            for (int i = 0; i < key.waits().counts().size(); i++) {
                json.writeStartObject();
                if (i < WaitCounts.BOUNDS_S.size()) {
                    json.writeNumberField("below_s", WaitCounts.BOUNDS_S.get(i));
                }
                json.writeNumberField("waiters", key.waits().counts().get(i));
                json.writeEndObject();
            }
            json.writeEndArray();
        }
        json.writeArrayFieldStart("holders");
    }

    private static void write(JsonGenerator json, HolderView holder) throws IOException {
        json.writeStartObject();
        KeysJson.writeClient(json, holder.client());
        writeAge(json, "held_s", holder.held());
        JsonWriter.writeSeconds(json, "lease_expires_in_s", holder.leaseLeftNanos());
        json.writeStringField("fence", Fences.hex(holder.fence()));
        json.writeEndObject();
    }

    private static void write(JsonGenerator json, int position, WaiterView waiter) throws IOException {
        json.writeStartObject();
        json.writeNumberField("position", position);
        json.writeStringField("id", waiter.id());
        KeysJson.writeClient(json, waiter.client());
        writeAge(json, "waiting_s", waiter.waited());
        json.writeEndObject();
    }

    /** Ends the queue and the document, with the cursor if there are more holders. */
    private static void end(JsonGenerator json, KeyDetail key) throws IOException {
        json.writeEndArray();
        if (key.moreHolders()) {
            json.writeStringField(
                    "next", PageQuery.cursor(key.holders().getLast().fence()));
        }
        json.writeEndObject();
    }

    /** Writes a duration, whether it is a bound, and the time of day at its beginning. */
    private static void writeAge(JsonGenerator json, String field, Age age) throws IOException {
        JsonWriter.writeSeconds(json, field, age.nanos());
        if (!age.exact()) {
            json.writeBooleanField("bounds", true);
        }
        if (age.sinceSeconds() != 0) {
            json.writeStringField(
                    "since", Instant.ofEpochSecond(age.sinceSeconds()).toString());
        }
    }
}
