package io.flockgate.gateway.rights;

import io.flockgate.storage.Key;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A key, or a prefix of keys, which is written with a {@code *} at its end.
 *
 * @param exact whether the bytes are a whole key
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record KeyPattern(byte[] bytes, boolean exact) {
    /**
     * @throws IllegalArgumentException for a text that is not a pattern
     */
    static KeyPattern of(String text) {
        boolean exact = !text.endsWith("*");
        String name = exact ? text : text.substring(0, text.length() - 1);
        if (name.indexOf('*') >= 0) {
            throw new IllegalArgumentException("a * may only be the last character");
        }
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        if ((bytes.length > 0 || exact) && Key.copyOf(bytes, 0, bytes.length) == null) {
            throw new IllegalArgumentException("a key has 1 to 256 bytes, none of them space, TAB, LF or CR");
        }
        return new KeyPattern(bytes, exact);
    }

    boolean matches(Key key) {
        return key.startsWith(bytes) && (!exact || key.length() == bytes.length);
    }

    boolean isEvery() {
        return bytes.length == 0 && !exact;
    }

    /** Whether every key that it matches begins with these bytes. */
    boolean isWithin(byte[] prefix) {
        return begins(prefix, bytes);
    }

    /** Whether it matches every key that begins with these bytes. */
    boolean covers(byte[] prefix) {
        return !exact && begins(bytes, prefix);
    }

    private static boolean begins(byte[] with, byte[] bytes) {
        return bytes.length >= with.length && Arrays.equals(with, 0, with.length, bytes, 0, with.length);
    }
}
