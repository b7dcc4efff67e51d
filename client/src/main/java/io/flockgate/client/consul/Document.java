package io.flockgate.client.consul;

import io.flockgate.client.json.JsonArray;
import io.flockgate.client.json.JsonException;
import io.flockgate.client.json.JsonLiteral;
import io.flockgate.client.json.JsonNumber;
import io.flockgate.client.json.JsonObject;
import io.flockgate.client.json.JsonReader;
import io.flockgate.client.json.JsonValue;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The value of a semaphore's {@code .lock}: its limit, its holders, and other software's fields, which are kept.
 *
 * @param holders sessions, in the order of the document
 * @param map whether the holders are a map, as Consul's own tools have them, and not a list
 */
record Document(long limit, List<String> holders, boolean map, JsonObject others) {
    /** The largest value that Consul takes. */
    private static final int MAX_BYTES = 512 * 1024;

    Document {
        holders = List.copyOf(new LinkedHashSet<>(holders));
    }

    /** The document of a semaphore without holders. */
    static Document empty(long limit, boolean map) {
        return new Document(limit, List.of(), map, JsonObject.EMPTY);
    }

    Document withHolders(Collection<String> sessions) {
        return new Document(limit, List.copyOf(sessions), map, others);
    }

    /** Reads a document. Null when the value is none. */
    static @Nullable Document parse(byte[] value) {
        try {
            return read(JsonReader.readObject(value, MAX_BYTES));
        } catch (JsonException other) {
            return null;
        }
    }

    private static @Nullable Document read(JsonObject json) {
        Long limit = null;
        JsonValue holders = null;
        JsonObject.Builder others = JsonObject.builder();
        for (Map.Entry<String, JsonValue> field : json.members().entrySet()) {
            // Consul's own tools ignore the case of field names.
            String name = field.getKey().toLowerCase(Locale.ROOT);
            if (name.equals("limit")) {
                limit = field.getValue() instanceof JsonNumber number ? number.toLong() : null;
            } else if (name.equals("holders")) {
                holders = field.getValue();
            } else {
                others.put(field.getKey(), field.getValue());
            }
        }
        if (limit == null || limit < 1) {
            return null;
        } else if (holders instanceof JsonArray list) {
            return new Document(limit, list.strings(), false, others.build());
        }
        return holders instanceof JsonObject sessions
                ? new Document(limit, List.copyOf(sessions.members().keySet()), true, others.build())
                : null;
    }

    byte[] toBytes() {
        JsonObject.Builder json =
                JsonObject.builder().put("Limit", limit).put("Holders", map ? asMap() : JsonArray.ofStrings(holders));
        return json.putAll(others).build().toBytes();
    }

    private JsonObject asMap() {
        JsonObject.Builder sessions = JsonObject.builder();
        holders.forEach(session -> sessions.put(session, JsonLiteral.TRUE));
        return sessions.build();
    }
}
