package io.flockgate.gateway.config;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Text that comes as bytes, taken strictly: what is not UTF-8 is never read as something else. */
public final class Utf8 {
    private Utf8() {}

    /** The text that these bytes are; null when they are none. */
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
