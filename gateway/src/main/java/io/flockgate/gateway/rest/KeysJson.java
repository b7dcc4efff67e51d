package io.flockgate.gateway.rest;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.fasterxml.jackson.core.JsonGenerator;
import io.flockgate.gateway.deadlock.Deadlocks.Deadlock;
import io.flockgate.gateway.deadlock.Deadlocks.Found;
import io.flockgate.gateway.deadlock.Deadlocks.Link;
import io.flockgate.gateway.http.Reply;
import io.flockgate.gateway.stats.JsonWriter;
import io.flockgate.storage.Age;
import io.flockgate.storage.ClientView;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyDetail;
import io.flockgate.storage.KeyDetail.HolderView;
import io.flockgate.storage.KeyDetail.WaiterView;
import io.flockgate.storage.KeyQuery.KeyPage;
import io.flockgate.storage.KeySummary;
import io.flockgate.storage.Kind;
import io.flockgate.storage.WaitCounts;
import io.flockgate.text.Fences;
import io.flockgate.text.PercentEncoding;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Writes keys as JSON, with their holders and waiters, and the clients of other answers. */
final class KeysJson {
    /** The maximum number of deadlocks that an answer shows. */
    private static final int MAX_SHOWN = 100;

    /** The maximum number of clients of a deadlock that an answer shows. */
    private static final int MAX_CLIENTS = 100;

    private KeysJson() {}

    static Reply list(KeyScan.Listing found) {
        KeyPage page = found.page();
        return Reply.json(200, json -> {
            json.writeStartObject();
            json.writeArrayFieldStart("keys");
            for (KeySummary key : page.keys()) {
                write(json, key);
            }
            json.writeEndArray();
            if (found.matching() >= 0) {
                json.writeNumberField("matching", found.matching());
            }
            Key next = page.next();
            if (next != null) {
                json.writeStringField("next", PageQuery.cursor(next));
            }
            json.writeEndObject();
        });
    }

    private static void write(JsonGenerator json, KeySummary key) throws IOException {
        json.writeStartObject();
        writeName(json, key);
        json.writeNumberField("holders", key.holders());
        json.writeNumberField("waiters", key.waiters());
        HolderView oldest = key.oldest();
        if (oldest != null) {
            JsonWriter.writeSeconds(json, "oldest_hold_s", oldest.heldNanos());
            if (!oldest.held().exact()) {
                json.writeBooleanField("bounds", true);
            }
            json.writeObjectFieldStart("holder");
            writeClient(json, oldest.client());
            json.writeEndObject();
        }
        if (key.waiters() > 0) {
            JsonWriter.writeSeconds(json, "longest_wait_s", key.waitedNanos());
        }
        if (key.idle()) {
            JsonWriter.writeSeconds(json, "idle_s", key.idleNanos());
        }
        json.writeEndObject();
    }

    /** Writes the key, its kind and its limit. */
    static void writeName(JsonGenerator json, KeySummary key) throws IOException {
        writeKey(json, "key", key.key());
        writeKind(json, key.kind());
        json.writeNumberField("limit", key.limit());
    }

    static void writeKind(JsonGenerator json, Kind kind) throws IOException {
        json.writeStringField("kind", word(kind));
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    /** Writes a field with a key. A key that is not UTF-8 is also written byte for byte. */
    static void writeKey(JsonGenerator json, String field, Key key) throws IOException {
        byte[] bytes = key.toBytes();
        json.writeFieldName(field);
        if (!JsonWriter.writeUtf8(json, bytes)) {
            json.writeStringField(field + "_escaped", PercentEncoding.of(new String(bytes, ISO_8859_1), ISO_8859_1));
        }
    }

    /** Writes a client. Unknown fields are absent, except the number, which is 0. */
    static void writeClient(JsonGenerator json, ClientView client) throws IOException {
        json.writeFieldName("conn_id");
        json.writeNumber(Long.toUnsignedString(client.id()));
        json.writeStringField("via", word(client.description().via()));
        writeIfKnown(json, "address", client.description().address());
        writeIfKnown(json, "name", client.description().name());
        writeIfKnown(json, "token_name", client.description().tokenName());
        writeIfKnown(json, "gateway", client.gateway());
    }

    private static void writeIfKnown(JsonGenerator json, String field, @Nullable String value) throws IOException {
        if (value != null) {
            json.writeStringField(field, value);
        }
    }

    /**
     * One key with a page of its holders and the beginning of its queue. Never shows a token or the
     * id of a session.
     */
    static Reply key(KeyDetail key) {
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
        writeName(json, key.summary());
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
        writeClient(json, holder.client());
        writeAge(json, "held_s", holder.held());
        JsonWriter.writeSeconds(json, "lease_expires_in_s", holder.leaseLeftNanos());
        json.writeStringField("fence", Fences.hex(holder.fence()));
        json.writeEndObject();
    }

    private static void write(JsonGenerator json, int position, WaiterView waiter) throws IOException {
        json.writeStartObject();
        json.writeNumberField("position", position);
        json.writeStringField("id", waiter.id());
        writeClient(json, waiter.client());
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

    static Reply deadlocks(Found found) {
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
        writeClient(json, link.waiter().client());
        writeKey(json, "holds", link.held());
        json.writeStringField("fence", Fences.hex(link.holder().fence()));
        JsonWriter.writeSeconds(json, "held_s", link.holder().heldNanos());
        writeKey(json, "waits_for", link.wanted());
        JsonWriter.writeSeconds(json, "waiting_s", link.waiter().waitedNanos());
        if (!link.isOneClient()) {
            json.writeObjectFieldStart("holder");
            writeClient(json, link.holder().client());
            json.writeEndObject();
        }
        json.writeEndObject();
    }
}
