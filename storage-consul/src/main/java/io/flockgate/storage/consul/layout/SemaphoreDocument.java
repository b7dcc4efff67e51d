package io.flockgate.storage.consul.layout;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The value of a semaphore's {@code .lock}: its limit, its holders, and other software's fields, which are kept. Immutable.
 *
 * @param holders sessions, in the order of the document
 * @param others the other fields by name
 */
public record SemaphoreDocument(long limit, List<String> holders, HoldersForm form, Map<String, Object> others) {
    private static final String LIMIT = "limit";
    private static final String HOLDERS = "holders";

    public SemaphoreDocument {
        holders = List.copyOf(new LinkedHashSet<>(holders));
    }

    /** The document of a semaphore without holders. */
    public static SemaphoreDocument empty(long limit, HoldersForm form) {
        return new SemaphoreDocument(limit, List.of(), form, Map.of());
    }

    public SemaphoreDocument withHolders(Collection<String> sessions) {
        return new SemaphoreDocument(limit, List.copyOf(sessions), form, others);
    }

    /** Reads a document. Null when the value is not JSON, has no limit from 1 on, or has holders of another form. */
    public static @Nullable SemaphoreDocument parse(byte[] value) {
        try {
            JsonObject json = new JsonObject(new String(value, StandardCharsets.UTF_8));
            Long limit = null;
            Object holders = null;
            JsonObject others = new JsonObject();
            for (Map.Entry<String, Object> field : json) {
                // Consul's own tools ignore the case of field names.
                switch (field.getKey().toLowerCase(Locale.ROOT)) {
                    case LIMIT -> limit = wholeNumber(field.getValue());
                    case HOLDERS -> holders = field.getValue();
                    default -> others.put(field.getKey(), field.getValue());
                }
            }
            return limit == null || limit < 1 ? null : of(limit, holders, others.getMap());
        } catch (DecodeException | ClassCastException | NullPointerException e) {
            return null;
        }
    }

    private static @Nullable Long wholeNumber(@Nullable Object value) {
        return value instanceof Integer || value instanceof Long ? ((Number) value).longValue() : null;
    }

    private static @Nullable SemaphoreDocument of(long limit, @Nullable Object holders, Map<String, Object> others) {
        if (holders instanceof JsonArray list && list.stream().allMatch(String.class::isInstance)) {
            List<String> sessions = list.stream().map(String.class::cast).toList();
            return new SemaphoreDocument(limit, sessions, HoldersForm.LIST, others);
        }
        return holders instanceof JsonObject map
                ? new SemaphoreDocument(limit, List.copyOf(map.fieldNames()), HoldersForm.MAP, others)
                : null;
    }

    /** The fields that Consul's own tools write, in their order, then the others. */
    public byte[] toBytes() {
        JsonObject json = new JsonObject().put("Limit", limit).put("Holders", holdersAsJson());
        others.forEach(json::put);
        return json.toBuffer().getBytes();
    }

    private Object holdersAsJson() {
        if (form == HoldersForm.LIST) {
            return new JsonArray(holders);
        }
        JsonObject map = new JsonObject();
        holders.forEach(session -> map.put(session, true));
        return map;
    }
}
