package io.flockgate.gateway.rights;

import io.flockgate.storage.Key;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A set of keys, given by patterns. Each pattern is a key, or a prefix followed by {@code *}. A
 * check allocates nothing. Immutable.
 */
final class KeyPatterns {
    static final KeyPatterns NONE = new KeyPatterns(List.of());
    static final KeyPatterns EVERY = new KeyPatterns(List.of(new Pattern(new byte[0], false)));

    private final Pattern[] patterns;
    private final boolean every;

    /**
     * @param exact whether the bytes are a whole key
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Pattern(byte[] bytes, boolean exact) {
        boolean matches(Key key) {
            return key.startsWith(bytes) && (!exact || key.length() == bytes.length);
        }

        boolean isEvery() {
            return bytes.length == 0 && !exact;
        }
    }

    private KeyPatterns(List<Pattern> patterns) {
        this.patterns = patterns.toArray(Pattern[]::new);
        this.every = patterns.stream().anyMatch(Pattern::isEvery);
    }

    /**
     * @throws IllegalArgumentException for a text that is not a pattern
     */
    static KeyPatterns of(List<String> texts) {
        return new KeyPatterns(texts.stream().map(KeyPatterns::pattern).toList());
    }

    private static Pattern pattern(String text) {
        boolean exact = !text.endsWith("*");
        String name = exact ? text : text.substring(0, text.length() - 1);
        if (name.indexOf('*') >= 0) {
            throw new IllegalArgumentException("a * may only be the last character");
        }
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        if ((bytes.length > 0 || exact) && Key.copyOf(bytes, 0, bytes.length) == null) {
            throw new IllegalArgumentException("a key has 1 to 256 bytes, none of them space, TAB, LF or CR");
        }
        return new Pattern(bytes, exact);
    }

    boolean isEmpty() {
        return patterns.length == 0;
    }

    /** Whether they match every key. */
    boolean isEvery() {
        return every;
    }

    boolean matches(Key key) {
        if (every) {
            return true;
        }
        for (Pattern pattern : patterns) {
            if (pattern.matches(key)) {
                return true;
            }
        }
        return false;
    }

    /** A prefix of all keys that begin with this one and match; null if there can be none. */
    byte @Nullable [] narrowed(byte[] prefix) {
        byte[] narrowest = null;
        for (Pattern pattern : patterns) {
            if (begins(prefix, pattern.bytes)) {
                narrowest = narrowest == null ? pattern.bytes : prefix;
            } else if (begins(pattern.bytes, prefix) && !pattern.exact) {
                return prefix;
            }
        }
        return narrowest;
    }

    private static boolean begins(byte[] with, byte[] bytes) {
        return bytes.length >= with.length && Arrays.equals(with, 0, with.length, bytes, 0, with.length);
    }
}
