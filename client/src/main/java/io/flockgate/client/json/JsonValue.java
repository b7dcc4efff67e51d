package io.flockgate.client.json;

import java.nio.charset.StandardCharsets;

/** A value of JSON. Immutable. Its string is its text, without white space. */
public sealed interface JsonValue permits JsonObject, JsonArray, JsonString, JsonNumber, JsonLiteral {
    /** Writes the text of this value. */
    void writeTo(StringBuilder text);

    /** The text of this value in UTF-8. */
    default byte[] toBytes() {
        return toString().getBytes(StandardCharsets.UTF_8);
    }
}
