package io.flockgate.gateway.rest;

import com.fasterxml.jackson.core.JsonGenerator;
import io.flockgate.gateway.http.PercentCoding;
import io.flockgate.gateway.http.Reply;
import io.flockgate.gateway.stats.JsonWriter;
import io.flockgate.storage.ClientDescription.Via;
import io.flockgate.storage.ClientView;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyQuery.KeyPage;
import io.flockgate.storage.KeySummary;
import io.flockgate.storage.Kind;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Writes a page of the list of keys as JSON, and the keys and clients of other answers. */
final class KeysJson {
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
        if (key.holders() > 0) {
            JsonWriter.writeSeconds(json, "oldest_hold_s", key.heldNanos());
            if (!key.oldest().exact()) {
                json.writeBooleanField("bounds", true);
            }
            json.writeObjectFieldStart("holder");
            writeClient(json, key.oldest().client());
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
        json.writeStringField("kind", kind == Kind.LOCK ? "lock" : "semaphore");
    }

    /** Writes a field with a key. A key that is not UTF-8 is also written byte for byte. */
    static void writeKey(JsonGenerator json, String field, Key key) throws IOException {
        byte[] bytes = key.toBytes();
        json.writeFieldName(field);
        if (!JsonWriter.writeUtf8(json, bytes)) {
            json.writeStringField(field + "_escaped", PercentCoding.encode(bytes));
        }
    }

    /** Writes a client. Unknown fields are absent, except the number, which is 0. */
    static void writeClient(JsonGenerator json, ClientView client) throws IOException {
        json.writeFieldName("conn_id");
        json.writeNumber(Long.toUnsignedString(client.id()));
        json.writeStringField("via", via(client.description().via()));
        writeIfKnown(json, "address", client.description().address());
        writeIfKnown(json, "name", client.description().name());
        writeIfKnown(json, "token_name", client.description().tokenName());
        writeIfKnown(json, "gateway", client.gateway());
    }

    private static String via(Via via) {
        return switch (via) {
            case CONNECTION -> "connection";
            case SESSION -> "session";
            case OTHER -> "other";
        };
    }

    private static void writeIfKnown(JsonGenerator json, String field, @Nullable String value) throws IOException {
        if (value != null) {
            json.writeStringField(field, value);
        }
    }
}
