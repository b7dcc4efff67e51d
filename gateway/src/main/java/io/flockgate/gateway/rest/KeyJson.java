package io.flockgate.gateway.rest;

import com.fasterxml.jackson.core.JsonGenerator;
import io.flockgate.gateway.stats.JsonDocument;
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
 * Writes one key with a page of its holders and the beginning of its queue as JSON, in parts. Never
 * shows a token or the id of a session. On one thread.
 *
 * <ol>
 *   <li>the key, its kind and its limit, the number of holders and of waiters, and how long they
 *       have waited;
 *   <li>the holders, some at a time;
 *   <li>the queue, some at a time;
 *   <li>the cursor, if there are more holders.
 * </ol>
 */
final class KeyJson extends JsonDocument {
    private static final int ENTRIES_PER_PART = 256;

    private final KeyDetail key;
    private int holders;
    private int waiters;
    private boolean begun;

    KeyJson(KeyDetail key) {
        this.key = key;
    }

    @Override
    protected void writePart(JsonGenerator json) throws IOException {
        if (!begun) {
            begun = true;
            json.writeStartObject();
            KeysJson.writeName(json, key.summary());
            json.writeNumberField("holder_count", key.summary().holders());
            json.writeNumberField("waiter_count", key.summary().waiters());
            writeWaits(json);
            json.writeArrayFieldStart("holders");
            endHoldersIfAllAreWritten(json);
        } else if (holders < key.holders().size()) {
            writeHolders(json);
            endHoldersIfAllAreWritten(json);
        } else {
            writeWaiters(json);
        }
        if (holders == key.holders().size() && waiters == key.waiters().size()) {
            json.writeEndArray();
            writeNext(json);
            json.writeEndObject();
            end();
        }
    }

    private void writeWaits(JsonGenerator json) throws IOException {
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
    }

    private void endHoldersIfAllAreWritten(JsonGenerator json) throws IOException {
        if (holders == key.holders().size()) {
            json.writeEndArray();
            json.writeArrayFieldStart("queue");
        }
    }

    private void writeHolders(JsonGenerator json) throws IOException {
        int end = Math.min(key.holders().size(), holders + ENTRIES_PER_PART);
        for (; holders < end; holders++) {
            HolderView holder = key.holders().get(holders);
            json.writeStartObject();
            ClientJson.write(json, holder.client());
            writeAge(json, "held_s", holder.held());
            JsonWriter.writeSeconds(json, "lease_expires_in_s", holder.leaseLeftNanos());
            json.writeStringField("fence", Fences.hex(holder.fence()));
            json.writeEndObject();
        }
    }

    private void writeWaiters(JsonGenerator json) throws IOException {
        int end = Math.min(key.waiters().size(), waiters + ENTRIES_PER_PART);
        for (; waiters < end; waiters++) {
            WaiterView waiter = key.waiters().get(waiters);
            json.writeStartObject();
            json.writeNumberField("position", waiters + 1);
            json.writeStringField("id", waiter.id());
            ClientJson.write(json, waiter.client());
            writeAge(json, "waiting_s", waiter.waited());
            json.writeEndObject();
        }
    }

    private void writeNext(JsonGenerator json) throws IOException {
        if (key.moreHolders()) {
            json.writeStringField("next", Cursor.ofFence(key.holders().getLast().fence()));
        }
    }

    /** Writes a duration, whether it is a bound, and the time of day at its beginning. */
    private void writeAge(JsonGenerator json, String field, Age age) throws IOException {
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
