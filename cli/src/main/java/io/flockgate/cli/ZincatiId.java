package io.flockgate.cli;

import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The id by which Zincati names a machine. It is computed from the machine id like systemd's
 * application-specific ids, so it does not reveal the machine id (protocol-docs/fleetlock.md,
 * "Which node is this id?").
 */
final class ZincatiId {
    private static final String ZINCATI = "de35106b6ec24688b63afddaa156679b";
    private static final Pattern ID = Pattern.compile("[0-9a-f]{32}");
    private static final int BYTES = 16;

    private ZincatiId() {}

    /** The id for a machine id with or without dashes; empty if the text is not a machine id. */
    static Optional<String> of(String machineId) {
        return of(machineId, ZINCATI);
    }

    /** The id for any application's id. */
    static Optional<String> of(String machineId, String application) {
        String plain = machineId.strip().toLowerCase(Locale.ROOT).replace("-", "");
        if (!ID.matcher(plain).matches() || plain.chars().allMatch(c -> c == '0')) {
            return Optional.empty();
        }
        byte[] id = Arrays.copyOf(
                hmac(HexFormat.of().parseHex(plain), HexFormat.of().parseHex(application)), BYTES);
        // Version 4 and the variant of RFC 9562.
        id[6] = (byte) ((id[6] & 0x0f) | 0x40);
        id[8] = (byte) ((id[8] & 0x3f) | 0x80);
        return Optional.of(HexFormat.of().formatHex(id));
    }

    private static byte[] hmac(byte[] key, byte[] message) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(message);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has HMAC with SHA-256", e);
        }
    }
}
