package io.flockgate.gateway.rest;

import io.flockgate.storage.Key;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Writes and reads cursors: the last key of a page, or the fence of its last holder, in letters
 * that need no percent-encoding.
 */
final class Cursor {
    private Cursor() {}

    static String of(Key last) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(last.toBytes());
    }

    /** The last key that was listed; null if this is not the text of a cursor. */
    static @Nullable Key read(byte[] text) {
        try {
            byte[] key = Base64.getUrlDecoder().decode(text);
            return Key.copyOf(key, 0, key.length);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    static String ofFence(long last) {
        return HexFormat.of().toHexDigits(last);
    }

    /** The fence of the last holder that was shown; empty if this is not the text of a cursor. */
    static OptionalLong readFence(byte[] text) {
        String digits = new String(text, StandardCharsets.ISO_8859_1);
        return digits.matches("[0-9a-f]{16}")
                ? OptionalLong.of(HexFormat.fromHexDigitsToLong(digits))
                : OptionalLong.empty();
    }
}
