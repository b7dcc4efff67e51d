package io.flockgate.gateway.rights;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Computes SHA-256, which every Java runtime provides. */
public final class Sha256 {
    /** The length of a hash. */
    public static final int BYTES = 32;

    private Sha256() {}

    public static byte[] of(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
