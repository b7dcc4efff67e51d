package io.flockgate.client.json;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Values by name, in their order. The typed getters return null for a name that is missing or
 * {@code null}, and refuse a value of another type.
 */
public final class JsonObject implements JsonValue {
    /** An object without members. */
    public static final JsonObject EMPTY = new JsonObject(Map.of());

    private final Map<String, JsonValue> members;

    /**
     * @param members owned by this object from now on
     */
    JsonObject(Map<String, JsonValue> members) {
        this.members = Collections.unmodifiableMap(members);
    }

    /** The values by name. */
    public Map<String, JsonValue> members() {
        return members;
    }

    /** The members with other names than these. */
    public JsonObject without(Set<String> names) {
        Map<String, JsonValue> others = new LinkedHashMap<>();
        members.forEach((name, value) -> {
            if (!names.contains(name)) {
                others.put(name, value);
            }
        });
        return others.isEmpty() ? EMPTY : new JsonObject(others);
    }

    /** A builder without members. */
    public static Builder builder() {
        return new Builder(EMPTY);
    }

    /** A builder that begins with these members. Putting an existing name keeps its position. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** The value with this name; null if it is missing. */
    public @Nullable JsonValue get(String name) {
        return members.get(name);
    }

    /** Whether the name exists, even with {@code null}. */
    public boolean has(String name) {
        return members.containsKey(name);
    }

    /** The string with this name. */
    public @Nullable String string(String name) {
        JsonString text = typed(name, JsonString.class, "text");
        return text == null ? null : text.value();
    }

    /** The integer with this name. */
    public @Nullable Long number(String name) {
        JsonNumber number = typed(name, JsonNumber.class, "number");
        return number == null ? null : number.toLong();
    }

    /** The boolean with this name; false if it is missing. */
    public boolean isTrue(String name) {
        return typed(name, JsonLiteral.class, "truth value") == JsonLiteral.TRUE;
    }

    /** The object with this name. */
    public @Nullable JsonObject object(String name) {
        return typed(name, JsonObject.class, "object");
    }

    /** The list with this name. */
    public @Nullable JsonArray array(String name) {
        return typed(name, JsonArray.class, "list");
    }

    private <T extends JsonValue> @Nullable T typed(String name, Class<T> type, String what) {
        JsonValue value = members.get(name);
        if (value == null || value == JsonLiteral.NULL) {
            return null;
        }
        if (!type.isInstance(value)) {
            throw new JsonException("the field " + name + " is no " + what);
        }
        return type.cast(value);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof JsonObject object && members.equals(object.members);
    }

    @Override
    public int hashCode() {
        return members.hashCode();
    }

    @Override
    public void writeTo(StringBuilder text) {
        char before = '{';
        for (Map.Entry<String, JsonValue> member : members.entrySet()) {
            text.append(before);
            JsonString.write(member.getKey(), text);
            text.append(':');
            member.getValue().writeTo(text);
            before = ',';
        }
        text.append(members.isEmpty() ? "{}" : "}");
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(256);
        writeTo(text);
        return text.toString();
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
            return put(name, new JsonString(value));
        }

        /** Sets a number. */
        public Builder put(String name, long value) {
            return put(name, JsonNumber.of(value));
        }

        /** Sets a boolean. */
        public Builder put(String name, boolean value) {
            return put(name, JsonLiteral.of(value));
        }

        /** Sets all members of another object. */
        public Builder putAll(JsonObject others) {
            members.putAll(others.members);
            return this;
        }

        /** Removes a name, if it exists. */
        public Builder remove(String name) {
            members.remove(name);
            return this;
        }

        public JsonObject build() {
            return new JsonObject(new LinkedHashMap<>(members));
        }

        /** The text of the object in UTF-8. */
        public byte[] toBytes() {
            return new JsonObject(members).toBytes();
        }
    }
}
