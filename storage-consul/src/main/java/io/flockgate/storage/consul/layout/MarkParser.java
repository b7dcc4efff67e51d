package io.flockgate.storage.consul.layout;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads what gateways write into keys of their own, where anybody may have written something else. */
final class MarkParser {
    private static final int MAX_BYTES = 4096;

    private MarkParser() {}

    /** What the fields of the value say; null when it has not such fields, or is no such value at all. */
    static <T> @Nullable T parse(byte[] value, Function<JsonObject, @Nullable T> fields) {
        if (value.length == 0 || value.length > MAX_BYTES || value[0] != '{') {
            return null;
        }
        try {
            return fields.apply(new JsonObject(new String(value, StandardCharsets.UTF_8)));
        } catch (DecodeException | ClassCastException | NullPointerException e) {
            return null;
        }
    }
}
