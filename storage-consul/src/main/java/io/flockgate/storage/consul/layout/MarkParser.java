package io.flockgate.storage.consul.layout;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads values that gateways have written. Other software may have written another value. */
final class MarkParser {
    /** The version of marks and tickets that this gateway writes. A value without a version has this one too. */
    static final int VERSION = 1;

    private static final int MAX_BYTES = 4096;
    private static final String VERSION_FIELD = "v";

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

    /** Reads a value as {@link #parse} does. Null also when it has a version that this gateway does not know. */
    static <T> @Nullable T parseVersion(byte[] value, Function<JsonObject, @Nullable T> fields) {
        return parse(value, json -> whole(json, VERSION_FIELD, VERSION, 0) == VERSION ? fields.apply(json) : null);
    }

    /** The text of a field; null when it is missing or no text. */
    static @Nullable String text(JsonObject json, String name) {
        return json.getValue(name) instanceof String text ? text : null;
    }

    /**
     * The whole number of a field, from 0 on. It has neither a fraction nor an exponent.
     *
     * @param unreadable the number for a field of another form
     */
    static long whole(JsonObject json, String name, long missing, long unreadable) {
        Object value = json.getValue(name);
        if (value == null) {
            return missing;
        }
        long number = value instanceof Integer || value instanceof Long ? ((Number) value).longValue() : -1;
        return number < 0 ? unreadable : number;
    }

    /** Whether the fields are whole numbers from 0 on, or missing. */
    static boolean areWhole(JsonObject json, String... names) {
        return Arrays.stream(names).allMatch(name -> whole(json, name, 0, -1) >= 0);
    }

    /** Whether the fields are truth values, or missing. */
    static boolean areTruths(JsonObject json, String... names) {
        return Arrays.stream(names).map(json::getValue).allMatch(value -> value == null || value instanceof Boolean);
    }

    static boolean isTrue(JsonObject json, String name) {
        return Boolean.TRUE.equals(json.getValue(name));
    }

    /** A new value of this version. */
    static JsonObject version() {
        return new JsonObject().put(VERSION_FIELD, VERSION);
    }

    /** The fields with other names than these. A gateway keeps them when it rewrites the value. */
    static Map<String, Object> others(JsonObject json, Set<String> known) {
        JsonObject others = json.copy();
        known.forEach(others::remove);
        others.remove(VERSION_FIELD);
        return others.getMap();
    }
}
