package io.flockgate.client.support;

import java.util.OptionalLong;

/** The tokens of a gateway: 32 hex digits, of which the first 16 are the fence. */
public final class Tokens {
    private static final int DIGITS = 32;
    private static final int FENCE_DIGITS = 16;

    private Tokens() {}

    /** The fence in a token; empty for a token of another server. */
    public static OptionalLong fence(String token) {
        if (token.length() != DIGITS) {
            return OptionalLong.empty();
        }
        try {
            return OptionalLong.of(Long.parseUnsignedLong(token.substring(0, FENCE_DIGITS), 16));
        } catch (NumberFormatException malformed) {
            return OptionalLong.empty();
        }
    }
}
