package io.flockgate.storage.consul.layout;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads values that gateways have written. Other software may have written another value. */
final class MarkParser {
    private static final int MAX_BYTES = 4096;

    private MarkParser() {}

    /** The fields of a value; null when a field is missing or the value has another form. */
    static <T> @Nullable T parse(byte[] value, Function<JsonObject, @Nullable T> fields) {
        if (value.length == 0 || value.length > MAX_BYTES || value[0] != '{') {
            return null;
        }
        try {
            return fields.apply(new JsonObject(new String(value, StandardCharsets.UTF_8)));
        } catch (DecodeException | ClassCastException | NullPointerException | NumberFormatException e) {
            return null;
        }
    }

    /** The fields with other names than these. A gateway keeps them when it rewrites the value. */
    static Map<String, Object> others(JsonObject json, Set<String> known) {
        JsonObject others = json.copy();
        known.forEach(others::remove);
        return others.getMap();
    }
}
