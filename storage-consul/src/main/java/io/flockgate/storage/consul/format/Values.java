package io.flockgate.storage.consul.format;

import io.flockgate.storage.consul.json.JsonException;
import io.flockgate.storage.consul.json.JsonValue;
import io.flockgate.storage.consul.json.JsonValue.JsonObject;
import io.flockgate.storage.consul.json.StrictJson;
import io.flockgate.text.Quoting;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads values written by gateways. Other software may have written anything, so
 * nothing here throws.
 */
final class Values {
    /** The version written to marks and tickets. A value without a version has this version too. */
    static final int VERSION = 1;

    private static final int MAX_BYTES = 4096;
    private static final String VERSION_FIELD = "v";

    private Values() {}

    /**
     * The fields of a value; null when it is not a JSON object, is too long, or does not have the
     * form of these fields.
     */
    static <T> @Nullable T parse(byte[] value, Function<JsonObject, @Nullable T> fields) {
        return parse(value, MAX_BYTES, fields);
    }

    static <T> @Nullable T parse(byte[] value, int maxBytes, Function<JsonObject, @Nullable T> fields) {
        // Checked first, because an exception is expensive, and other software's values are mostly
        // empty or not JSON at all.
        if (value.length > maxBytes || !beginsAsObject(value)) {
            return null;
        }
        try {
            return fields.apply(StrictJson.read(value, maxBytes));
        } catch (JsonException other) {
            return null;
        }
    }

    private static boolean beginsAsObject(byte[] value) {
        for (byte b : value) {
            if (b != ' ' && b != '\t' && b != '\n' && b != '\r') {
                return b == '{';
            }
        }
        return false;
    }

    /**
     * Reads a value as {@link #parse(byte[], Function)} does. Also null when it has a version that
     * is not known here.
     */
    static <T> @Nullable T parseVersion(byte[] value, Function<JsonObject, @Nullable T> fields) {
        return parse(value, json -> whole(json, VERSION_FIELD, VERSION, 0) == VERSION ? fields.apply(json) : null);
    }

    /** The string in a field; null when it is missing or not a string. */
    static @Nullable String text(JsonObject json, String name) {
        return json.get(name) instanceof JsonValue.Text text ? text.value() : null;
    }

    /**
     * The non-negative integer in a field, without a fraction or an exponent.
     *
     * @param unreadable the number for a field of another form
     */
    static long whole(JsonObject json, String name, long missing, long unreadable) {
        JsonValue value = json.get(name);
        return value == null || value == JsonValue.Name.NULL ? missing : whole(value, unreadable);
    }

    private static long whole(JsonValue value, long unreadable) {
        Long number = value instanceof JsonValue.Digits digits ? digits.toLong() : null;
        return number == null || number < 0 ? unreadable : number;
    }

    /** Whether the fields are non-negative integers or missing. */
    static boolean areWhole(JsonObject json, String... names) {
        return Arrays.stream(names).allMatch(name -> whole(json, name, 0, -1) >= 0);
    }

    /** Whether the field is a boolean or missing. */
    static boolean isTruth(JsonObject json, String name) {
        JsonValue value = json.get(name);
        return value == null || value instanceof JsonValue.Name;
    }

    static boolean isTrue(JsonObject json, String name) {
        return json.get(name) == JsonValue.Name.TRUE;
    }

    /** A printable string that is neither empty nor too long; null when the field is not one. */
    static @Nullable String printable(JsonObject json, String name, int maxBytes) {
        String text = text(json, name);
        return text != null
                        && !text.isEmpty()
                        && text.length() <= maxBytes
                        && text.codePoints().allMatch(Quoting::isPrintable)
                        && text.getBytes(StandardCharsets.UTF_8).length <= maxBytes
                ? text
                : null;
    }

    /** A new value of this version. */
    static JsonObject.Builder version() {
        return JsonObject.builder().put(VERSION_FIELD, VERSION);
    }

    /** The names of fields that are read, and the version's. */
    static Set<String> fields(String... names) {
        Set<String> all = new HashSet<>(Arrays.asList(names));
        all.add(VERSION_FIELD);
        return Set.copyOf(all);
    }
}
