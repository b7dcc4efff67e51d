package io.flockgate.storage.consul.json;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A JSON value. Immutable. */
public sealed interface JsonValue
        permits JsonObject, JsonValue.Items, JsonValue.Text, JsonValue.Digits, JsonValue.Name {
    /** A list of values. */
    record Items(List<JsonValue> values) implements JsonValue {
        public Items {
            values = List.copyOf(values);
        }
    }

    /** A string. */
    record Text(String value) implements JsonValue {}

    /** A number as it was written, so that numbers in unknown fields stay digit by digit. */
    record Digits(String text) implements JsonValue {
        /**
         * The number as a signed 64-bit integer; null if it is too large, or has a fraction or an
         * exponent.
         */
        public @Nullable Long toLong() {
            try {
                return Long.valueOf(text);
            } catch (NumberFormatException other) {
                return null;
            }
        }
    }

    /** The three literal names of JSON. */
    enum Name implements JsonValue {
        TRUE,
        FALSE,
        NULL;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
