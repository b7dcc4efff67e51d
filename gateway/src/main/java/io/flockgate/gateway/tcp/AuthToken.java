package io.flockgate.gateway.tcp;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;

/** The shared secret of the server. Never shown. */
public final class AuthToken {
    private final byte[] bytes;

    public AuthToken(String text) {
        bytes = text.getBytes(StandardCharsets.UTF_8);
    }

    /** Compares in a time that does not depend on where they differ. */
    public boolean is(byte[] source, int from, int to) {
        return MessageDigest.isEqual(bytes, Arrays.copyOfRange(source, from, to));
    }

    @Override
    public String toString() {
        return "AuthToken[hidden]";
    }
}
