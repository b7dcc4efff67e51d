package io.flockgate.storage;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The proof of one grant, created with it. Its fence is greater than that of every earlier grant of
 * the same key, and its salt of 64 random bits prevents guessing. Its written form is 32 lower-case
 * hexadecimal digits, the fence first (line protocol, "Tokens"). Immutable.
 *
 * @param fence unsigned, at least 1; 0 is never issued
 * @param salt the random half
 */
public record Token(long fence, long salt) {
    /** The number of digits of a written token. */
    public static final int HEX_DIGITS = 32;

    /** The token that stands for every text that is not a token. It is never held. */
    public static final Token NEVER_ISSUED = new Token(0, 0);

    private static final byte[] DIGITS = {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'
    };

    /**
     * The value of each byte as a digit, -1 for other bytes. A table, because branches would be
     * mispredicted.
     */
    private static final byte[] VALUES = new byte[256];

    static {
        Arrays.fill(VALUES, (byte) -1);
        for (byte value = 0; value < DIGITS.length; value++) {
            VALUES[DIGITS[value]] = value;
        }
    }

    /**
     * The token in these bytes, or {@link #NEVER_ISSUED} when they are not exactly 32 lower-case
     * hex digits.
     */
    public static Token parse(byte[] source, int from, int to) {
        if (to - from != HEX_DIGITS) {
            return NEVER_ISSUED;
        }
        long high = 0;
        long low = 0;
        int invalid = 0;
        for (int i = 0; i < 16; i++) {
            int h = VALUES[source[from + i] & 0xff];
            int l = VALUES[source[from + 16 + i] & 0xff];
            invalid |= h | l;
            high = high << 4 | h;
            low = low << 4 | l;
        }
        return invalid < 0 ? NEVER_ISSUED : new Token(high, low);
    }

    /** Writes the 32 digits of a token's two halves. */
    public static void write(long fence, long salt, byte[] target, int at) {
        for (int i = 0; i < 16; i++) {
            target[at + i] = DIGITS[(int) (fence >>> (60 - 4 * i)) & 15];
            target[at + 16 + i] = DIGITS[(int) (salt >>> (60 - 4 * i)) & 15];
        }
    }

    /** The 32 digits: a secret, not for logs. */
    public String toHex() {
        byte[] hex = new byte[HEX_DIGITS];
        write(fence, salt, hex, 0);
        return new String(hex, java.nio.charset.StandardCharsets.US_ASCII);
    }

    /** Compares both halves in constant time. */
    public boolean matches(long otherFence, long otherSalt) {
        return ((fence ^ otherFence) | (salt ^ otherSalt)) == 0;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Token token && matches(token.fence, token.salt);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(fence);
    }

    /** Omits the secret half, because this text may end up in a log line or an exception. */
    @Override
    public String toString() {
        return "Token[fence=" + Long.toUnsignedString(fence) + "]";
    }
}
