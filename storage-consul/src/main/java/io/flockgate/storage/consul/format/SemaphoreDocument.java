package io.flockgate.storage.consul.format;

import io.flockgate.storage.consul.json.JsonArray;
import io.flockgate.storage.consul.json.JsonLiteral;
import io.flockgate.storage.consul.json.JsonNumber;
import io.flockgate.storage.consul.json.JsonObject;
import io.flockgate.storage.consul.json.JsonValue;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The value of a semaphore's {@code .lock}: its limit, its holders, and other software's fields,
 * which are kept. Immutable.
 *
 * @param holders sessions, in the order of the document
 * @param others the other fields by name
 */
public record SemaphoreDocument(long limit, List<String> holders, HoldersForm form, JsonObject others) {
    /** The largest value that Consul accepts. */
    private static final int MAX_BYTES = 512 * 1024;

    private static final String LIMIT = "limit";
    private static final String HOLDERS = "holders";

    public SemaphoreDocument {
        holders = List.copyOf(new LinkedHashSet<>(holders));
    }

    /** The document of a semaphore without holders. */
    public static SemaphoreDocument empty(long limit, HoldersForm form) {
        return new SemaphoreDocument(limit, List.of(), form, JsonObject.EMPTY);
    }

    public SemaphoreDocument withHolders(Collection<String> sessions) {
        return new SemaphoreDocument(limit, List.copyOf(sessions), form, others);
    }

    /**
     * Reads a document. Null when the value is not JSON, has no limit of at least 1, or has holders
     * of another form.
     */
    public static @Nullable SemaphoreDocument parse(byte[] value) {
        return Values.parse(value, MAX_BYTES, SemaphoreDocument::read);
    }

    private static @Nullable SemaphoreDocument read(JsonObject json) {
        Long limit = null;
        JsonValue holders = null;
        JsonObject.Builder others = JsonObject.builder();
        for (Map.Entry<String, JsonValue> field : json.members().entrySet()) {
            JsonValue value = field.getValue();
            // Consul's own tools ignore the case of field names.
            switch (field.getKey().toLowerCase(Locale.ROOT)) {
                case LIMIT -> limit = value instanceof JsonNumber number ? number.toLongOrNull() : null;
                case HOLDERS -> holders = value;
                default -> others.put(field.getKey(), value);
            }
        }
        return limit == null || limit < 1 ? null : of(limit, holders, others.build());
    }

    private static @Nullable SemaphoreDocument of(long limit, @Nullable JsonValue holders, JsonObject others) {
        if (holders instanceof JsonArray list) {
            // Anything but strings in the list is refused as another form.
            return new SemaphoreDocument(limit, list.strings(), HoldersForm.LIST, others);
        }
        return holders instanceof JsonObject map
                ? new SemaphoreDocument(limit, List.copyOf(map.members().keySet()), HoldersForm.MAP, others)
                : null;
    }

    /** The fields that Consul's own tools write, in their order, then the others. */
    public byte[] toBytes() {
        return JsonObject.builder()
                .put("Limit", limit)
                .put("Holders", form == HoldersForm.LIST ? JsonArray.ofStrings(holders) : asMap())
                .putAll(others)
                .toBytes();
    }

    private JsonObject asMap() {
        JsonObject.Builder map = JsonObject.builder();
        holders.forEach(session -> map.put(session, JsonLiteral.TRUE));
        return map.build();
    }
}
