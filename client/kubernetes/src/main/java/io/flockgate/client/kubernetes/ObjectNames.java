package io.flockgate.client.kubernetes;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Maps names of leases to names of Kubernetes objects. Pure.
 *
 * <p>A name that Kubernetes accepts is unchanged. Any other is mapped to a readable prefix and a
 * hash of the whole name, so that two names never share an object. A name that looks like such a
 * result is hashed as well.
 */
final class ObjectNames {
    private static final Pattern VALID =
            Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");
    private static final Pattern HASHED = Pattern.compile(".*-x[0-9a-f]{32}");
    private static final int MAX_BEGINNING = 120;
    private static final int HASH_BYTES = 16;

    private ObjectNames() {}

    static String of(String name) {
        boolean asItIs = VALID.matcher(name).matches() && !HASHED.matcher(name).matches();
        return asItIs ? name : beginning(name) + "-x" + hash(name);
    }

    private static String beginning(String name) {
        String plain = name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
        String cut = plain.substring(0, Math.min(plain.length(), MAX_BEGINNING));
        String trimmed = cut.replaceAll("^-+|-+$", "");
        return trimmed.isEmpty() ? "lease" : trimmed;
    }

    /** The first half of SHA-256, as 32 hexadecimal digits. */
    static String hash(String text) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, HASH_BYTES);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every JVM has SHA-256", impossible);
        }
    }
}
