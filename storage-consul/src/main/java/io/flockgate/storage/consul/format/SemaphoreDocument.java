package io.flockgate.storage.consul.format;

import io.flockgate.storage.consul.json.JsonValue;
import io.flockgate.storage.consul.json.JsonValue.JsonObject;
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

    SemaphoreDocument withLimit(long other) {
        return new SemaphoreDocument(other, holders, form, others);
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
                case LIMIT -> limit = value instanceof JsonValue.Digits number ? number.toLong() : null;
                case HOLDERS -> holders = value;
                default -> others.put(field.getKey(), value);
            }
        }
        return limit == null || limit < 1 ? null : of(limit, holders, others.build());
    }

    private static @Nullable SemaphoreDocument of(long limit, @Nullable JsonValue holders, JsonObject others) {
        return switch (holders) {
            case JsonValue.Items list
            when list.values().stream().allMatch(JsonValue.Text.class::isInstance) ->
                new SemaphoreDocument(limit, names(list), HoldersForm.LIST, others);
            case JsonObject map ->
                new SemaphoreDocument(limit, List.copyOf(map.members().keySet()), HoldersForm.MAP, others);
            case null, default -> null;
        };
    }

    private static List<String> names(JsonValue.Items list) {
        return list.values().stream()
                .map(each -> ((JsonValue.Text) each).value())
                .toList();
    }

    /** The fields that Consul's own tools write, in their order, then the others. */
    public byte[] toBytes() {
        return JsonObject.builder()
                .put("Limit", limit)
                .put("Holders", form == HoldersForm.LIST ? asList() : asMap())
                .putAll(others)
                .toBytes();
    }

    private JsonValue asList() {
        return new JsonValue.Items(
                holders.stream().<JsonValue>map(JsonValue.Text::new).toList());
    }

    private JsonValue asMap() {
        JsonObject.Builder map = JsonObject.builder();
        holders.forEach(map::putTrue);
        return map.build();
    }

    /**
     * The form in which a semaphore's document lists its holders. Both forms are read, and the form
     * found is kept.
     */
    public enum HoldersForm {
        /** {@code ["<session>", …]}: Consul's semaphore guide. */
        LIST("list"),
        /**
         * {@code {"<session>": true, …}}: Consul's command line and Go API, which cannot read a
         * list.
         */
        MAP("map");

        private final String text;

        HoldersForm(String text) {
            this.text = text;
        }

        /** The name of this form in the record of the cluster. */
        public String text() {
            return text;
        }
    }
}
