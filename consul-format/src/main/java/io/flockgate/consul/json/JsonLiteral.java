package io.flockgate.consul.json;

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

    /** The literal at this position; null if there is none. */
    static @Nullable JsonLiteral at(String json, int at) {
        for (JsonLiteral each : ALL) {
            if (json.startsWith(each.text, at)) {
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
