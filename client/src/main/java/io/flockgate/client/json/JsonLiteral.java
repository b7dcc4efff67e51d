package io.flockgate.client.json;

import java.util.Locale;

/** The three names of JSON. */
public enum JsonLiteral implements JsonValue {
    TRUE,
    FALSE,
    NULL;

    static JsonLiteral of(boolean value) {
        return value ? TRUE : FALSE;
    }

    @Override
    public void writeTo(StringBuilder text) {
        text.append(this);
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
