package io.flockgate.storage.consul.json;

import org.jspecify.annotations.Nullable;

/** The three literal names of JSON. */
public enum JsonLiteral implements JsonValue {
    TRUE("true"),
    FALSE("false"),
    NULL("null");

    private static final JsonLiteral[] ALL = values();

    private final String text;

    JsonLiteral(String text) {
        this.text = text;
    }

    static JsonLiteral of(boolean value) {
        return value ? TRUE : FALSE;
    }

    /** The literal of this text; null if there is none. */
    static @Nullable JsonLiteral of(String text) {
        for (JsonLiteral each : ALL) {
            if (each.text.equals(text)) {
                return each;
            }
        }
        return null;
    }

    @Override
    public void writeTo(StringBuilder to) {
        to.append(text);
    }

    @Override
    public String toString() {
        return text;
    }
}
