package io.flockgate.client.consul;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
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

    /** Reads a token. Null when the text is none. */
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

    /** The hash by which everybody recognises the token, and nobody can compute it. */
    static String hash(String nonce, long salt) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(nonce.getBytes(StandardCharsets.US_ASCII));
            digest.update(ByteBuffer.allocate(Long.BYTES).putLong(salt).array());
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    @Override
    public String toString() {
        return "token with fence " + Long.toUnsignedString(fence);
    }
}
