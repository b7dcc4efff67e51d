package io.flockgate.client.json;

import java.io.IOException;

/**
 * Reads JSON strictly as RFC 8259 defines it: one value in UTF-8 with nothing after it. A name that
 * occurs twice in one object is refused, as are texts that are longer or more deeply nested than
 * the limits.
 */
public final class JsonReader {
    /** The maximum nesting depth of objects and lists. */
    public static final int MAX_DEPTH = 64;

    /** The maximum length of a number, in characters. */
    public static final int MAX_NUMBER = 64;

    private JsonReader() {}

    /**
     * Reads a value from UTF-8.
     *
     * @param maxBytes the maximum length accepted
     * @throws JsonException if it is not JSON, or is beyond the limits
     */
    public static JsonValue read(byte[] utf8, int maxBytes) {
        if (utf8.length > maxBytes) {
            throw new JsonException("the text has more than " + maxBytes + " bytes");
        }
        try {
            JsonStream json = new JsonStream(utf8);
            JsonValue value = json.value();
            json.end();
            return value;
        } catch (IOException never) {
            throw new IllegalStateException(never);
        }
    }

    /** Reads an object from UTF-8; see {@link #read(byte[], int)}. */
    public static JsonObject readObject(byte[] utf8, int maxBytes) {
        if (read(utf8, maxBytes) instanceof JsonObject object) {
            return object;
        }
        throw new JsonException("the text is no object");
    }
}
