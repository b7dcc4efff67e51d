package io.flockgate.client.consul;

import io.flockgate.client.json.JsonException;
import io.flockgate.client.json.JsonObject;
import io.flockgate.client.json.JsonReader;
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
        return parse(value, json -> number(json, VERSION_FIELD, VERSION) == VERSION ? fields.apply(json) : null);
    }

    static long number(JsonObject json, String name, long otherwise) {
        Long number = json.number(name);
        return number == null ? otherwise : number;
    }
}
