package io.flockgate.client.kubernetes;

import java.security.SecureRandom;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The token of a grant: the fence, and a secret of which Kubernetes stores only the hash.
 *
 * @param fence the number of transitions of the lease with this grant
 * @param secret 16 hexadecimal digits
 */
record GrantToken(long fence, String secret) {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int DIGITS = 16;

    /** A secret for a claim, before its fence is known. */
    static String newSecret() {
        return HexFormat.of().toHexDigits(RANDOM.nextLong());
    }

    /** Reads a token; null if it is not one of ours. */
    static @Nullable GrantToken of(String text) {
        if (text.length() != 2 * DIGITS || !text.chars().allMatch(c -> Character.digit(c, 16) >= 0)) {
            return null;
        }
        return new GrantToken(HexFormat.fromHexDigitsToLong(text, 0, DIGITS), text.substring(DIGITS));
    }

    String text() {
        return HexFormat.of().toHexDigits(fence) + secret;
    }

    /** Without the secret. */
    @Override
    public String toString() {
        return "grant " + fence;
    }
}
