package io.flockgate.gateway.config;

import io.flockgate.text.Sha256;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;

/**
 * The secret that clients must present: 1 to {@link #MAX_BYTES} bytes without a line break. Never
 * shown. Immutable.
 */
public final class AuthToken {
    /** The maximum length of the argument line of the {@code auth} command. */
    public static final int MAX_BYTES = 65_536;

    /** A shorter token can be guessed. */
    static final int SAFE_CHARACTERS = 16;

    private final byte[] bytes;
    private final boolean isShort;

    AuthToken(String text) {
        this.bytes = text.getBytes(StandardCharsets.UTF_8);
        this.isShort = text.length() < SAFE_CHARACTERS;
    }

    boolean isShort() {
        return isShort;
    }

    byte[] sha256() {
        return Sha256.of(bytes);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof AuthToken token && MessageDigest.isEqual(bytes, token.bytes);
    }

    /** The same for all tokens, because a hash would reveal part of the secret. */
    @Override
    public int hashCode() {
        return AuthToken.class.hashCode();
    }

    @Override
    public String toString() {
        return "AuthToken[hidden]";
    }
}
