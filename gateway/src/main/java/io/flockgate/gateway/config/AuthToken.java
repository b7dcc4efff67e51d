package io.flockgate.gateway.config;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;

/** The secret that clients must present: 1 to {@link #MAX_BYTES} bytes without a line break. Never shown. Immutable. */
public final class AuthToken {
    /** What the argument line of the {@code auth} command carries. */
    public static final int MAX_BYTES = 65_536;

    private final byte[] bytes;

    AuthToken(String text) {
        this.bytes = text.getBytes(StandardCharsets.UTF_8);
    }

    /** Whether these are the token's bytes. The time it takes says nothing about which bytes differ. */
    public boolean matches(byte[] candidate) {
        return MessageDigest.isEqual(bytes, candidate);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof AuthToken token && matches(token.bytes);
    }

    /** The same for all tokens, as a hash would tell something of the secret. */
    @Override
    public int hashCode() {
        return AuthToken.class.hashCode();
    }

    @Override
    public String toString() {
        return "AuthToken[hidden]";
    }
}
