package io.flockgate.storage.consul.json;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A JSON value. Immutable. */
public sealed interface JsonValue {
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

    /**
     * Values by name, in their order. Immutable.
     *
     * @param members owned by this object from now on
     */
    record JsonObject(Map<String, JsonValue> members) implements JsonValue {
        /** An object without members. */
        public static final JsonObject EMPTY = new JsonObject(Map.of());

        public JsonObject {
            members = Collections.unmodifiableMap(members);
        }

        /** The members with other names than these. */
        public JsonObject without(Set<String> names) {
            Map<String, JsonValue> others = new LinkedHashMap<>(members);
            others.keySet().removeAll(names);
            return new JsonObject(others);
        }

        /** A builder without members. */
        public static Builder builder() {
            return new Builder(EMPTY);
        }

        /**
         * A builder that begins with these members. Putting an existing name keeps its position.
         */
        public Builder toBuilder() {
            return new Builder(this);
        }

        /** The value with this name; null if it is missing. */
        public @Nullable JsonValue get(String name) {
            return members.get(name);
        }

        /**
         * The string with this name; null if it is missing or {@code null}.
         *
         * @throws JsonException if it is of another type
         */
        public @Nullable String string(String name) {
            return switch (get(name)) {
                case null -> null;
                case Name.NULL -> null;
                case Text text -> text.value();
                case JsonValue other -> throw new JsonException("the field " + name + " is no text");
            };
        }

        /**
         * The integer with this name; null if it is missing or {@code null}.
         *
         * @throws JsonException if it is no integer of 64 bits
         */
        public @Nullable Long number(String name) {
            JsonValue value = get(name);
            if (value == null || value == Name.NULL) {
                return null;
            }
            Long number = value instanceof Digits digits ? digits.toLong() : null;
            if (number == null) {
                throw new JsonException("the field " + name + " is no whole number of 64 bits");
            }
            return number;
        }

        /** The text of the object in UTF-8, without white space. */
        public byte[] toBytes() {
            return StrictJson.write(this);
        }

        /** Builds an object. Not thread safe. */
        public static final class Builder {
            private final Map<String, JsonValue> members;

            private Builder(JsonObject from) {
                members = new LinkedHashMap<>(from.members);
            }

            /** Sets a value. */
            public Builder put(String name, JsonValue value) {
                members.put(name, value);
                return this;
            }

            /** Sets a string. */
            public Builder put(String name, String value) {
                return put(name, new Text(value));
            }

            /** Sets a number. */
            public Builder put(String name, long value) {
                return put(name, new Digits(Long.toString(value)));
            }

            /** Sets {@code true}. */
            public Builder putTrue(String name) {
                return put(name, Name.TRUE);
            }

            /** Sets all members of another object. */
            public Builder putAll(JsonObject others) {
                members.putAll(others.members);
                return this;
            }

            /** The object; this builder must not be used any more. */
            public JsonObject build() {
                return new JsonObject(members);
            }

            /** The text of the object in UTF-8. */
            public byte[] toBytes() {
                return build().toBytes();
            }
        }
    }
}
