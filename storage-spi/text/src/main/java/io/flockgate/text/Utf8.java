package io.flockgate.text;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** A strict decoder of UTF-8: it refuses invalid bytes, and never replaces them. */
public final class Utf8 {
    private Utf8() {}

    /** The text of these bytes; null if they are not valid UTF-8. */
    public static @Nullable String decode(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }
}
