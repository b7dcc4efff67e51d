package io.flockgate.client.consul;

import io.flockgate.client.json.JsonException;
import io.flockgate.client.json.JsonLiteral;
import io.flockgate.client.json.JsonNumber;
import io.flockgate.client.json.JsonObject;
import io.flockgate.client.json.JsonReader;
import io.flockgate.client.json.JsonString;
import io.flockgate.client.json.JsonValue;
import java.util.Arrays;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads values that gateways and clients have written. Other software may have written anything. */
final class Values {
    /** The version of marks and tickets that this client writes. A value without a version has this one too. */
    static final int VERSION = 1;

    static final String VERSION_FIELD = "v";

    private static final int MAX_BYTES = 4096;

    private Values() {}

    /** The fields of a value; null when one is missing, or the value has another form. */
    static <T> @Nullable T parse(byte[] value, Function<JsonObject, @Nullable T> fields) {
        try {
            return fields.apply(JsonReader.readObject(value, MAX_BYTES));
        } catch (JsonException other) {
            return null;
        }
    }

    /** Reads a value as {@link #parse} does. Null also when it has a version that this client does not know. */
    static <T> @Nullable T parseVersion(byte[] value, Function<JsonObject, @Nullable T> fields) {
        return parse(value, json -> whole(json, VERSION_FIELD, VERSION, 0) == VERSION ? fields.apply(json) : null);
    }

    /** The text of a field; null when it is missing or no text. */
    static @Nullable String text(JsonObject json, String name) {
        return json.get(name) instanceof JsonString text ? text.value() : null;
    }

    /**
     * The whole number of a field, from 0 on. It has neither a fraction nor an exponent.
     *
     * @param unreadable the number for a field of another form
     */
    static long whole(JsonObject json, String name, long missing, long unreadable) {
        JsonValue value = json.get(name);
        if (value == null || value == JsonLiteral.NULL) {
            return missing;
        }
        try {
            long number = value instanceof JsonNumber digits ? digits.toLong() : -1;
            return number < 0 ? unreadable : number;
        } catch (JsonException other) {
            return unreadable;
        }
    }

    /** Whether the fields are whole numbers from 0 on, or missing. */
    static boolean areWhole(JsonObject json, String... names) {
        return Arrays.stream(names).allMatch(name -> whole(json, name, 0, -1) >= 0);
    }

    /** Whether the fields are truth values, or missing. */
    static boolean areTruths(JsonObject json, String... names) {
        return Arrays.stream(names).map(json::get).allMatch(value -> value == null || value instanceof JsonLiteral);
    }

    static boolean isTrue(JsonObject json, String name) {
        return json.get(name) == JsonLiteral.TRUE;
    }

    static long number(JsonObject json, String name, long otherwise) {
        Long number = json.number(name);
        return number == null ? otherwise : number;
    }
}
