package io.flockgate.client.consul;

import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The proof of a grant, as gateways write it: 32 hexadecimal digits, the fence first.
 *
 * @param fence unsigned
 * @param salt the random half, a secret
 */
record Token(long fence, long salt) {
    private static final int DIGITS = 32;

    /** Parses a token. Returns null if the text is not a token. */
    static @Nullable Token parse(String text) {
        boolean hex =
                text.length() == DIGITS && text.chars().allMatch(c -> (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'));
        return hex
                ? new Token(
                        HexFormat.fromHexDigitsToLong(text, 0, DIGITS / 2),
                        HexFormat.fromHexDigitsToLong(text, DIGITS / 2, DIGITS))
                : null;
    }

    String toHex() {
        return HexFormat.of().toHexDigits(fence) + HexFormat.of().toHexDigits(salt);
    }

    @Override
    public String toString() {
        return "token with fence " + Long.toUnsignedString(fence);
    }
}
