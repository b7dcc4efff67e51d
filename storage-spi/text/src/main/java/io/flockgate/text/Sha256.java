package io.flockgate.text;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Computes SHA-256, which every Java runtime provides. */
public final class Sha256 {
    private Sha256() {}

    /** The hash of these bytes, one array after another: 32 bytes. */
    public static byte[] of(byte[]... parts) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (byte[] part : parts) {
                digest.update(part);
            }
            return digest.digest();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The same hash in hexadecimal digits. */
    public static String hex(byte[]... parts) {
        return HexFormat.of().formatHex(of(parts));
    }
}
