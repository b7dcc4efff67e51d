package io.flockgate.gateway.rest;

import io.flockgate.storage.Key;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** Writes and reads cursors: the last key of a page, in letters that need no percent-encoding. */
final class Cursor {
    private Cursor() {}

    static String of(Key last) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(last.toBytes());
    }

    /** The last key that was listed; null when this is not the text of a cursor. */
    static @Nullable Key read(byte[] text) {
        try {
            byte[] key = Base64.getUrlDecoder().decode(text);
            return Key.copyOf(key, 0, key.length);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
