package io.flockgate.client.json;

import java.nio.charset.StandardCharsets;

/**
 * A JSON value: {@link JsonObject}, {@link JsonArray}, {@link JsonString}, {@link JsonNumber} or
 * {@link JsonLiteral}. Immutable. {@code toString} returns its text, without white space.
 */
public interface JsonValue {
    /** Writes the text of this value. */
    void writeTo(StringBuilder text);

    /** The text of this value in UTF-8. */
    default byte[] toBytes() {
        return toString().getBytes(StandardCharsets.UTF_8);
    }
}
