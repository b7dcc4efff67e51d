package io.flockgate.storage.consul.layout;

import io.flockgate.storage.Key;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The settings that all gateways of one base must share. Two gateways that differ would give one key to two holders, or give
 * fences that fall.
 *
 * @param fenceBase the number that is added to Consul's index to make a fence
 * @param holders the form of the holders in new documents: {@code list} or {@code map}
 * @param map a hash of the keys that have prefixes of their own
 */
public record SharedSettings(long fenceBase, String holders, String map) {
    private static final int HASH_DIGITS = 16;

    public static SharedSettings of(long fenceBase, HoldersForm holders, Map<Key, String> map) {
        String form = switch (holders) {
            case LIST -> "list";
            case MAP -> "map";
        };
        return new SharedSettings(fenceBase, form, hash(map));
    }

    private static String hash(Map<Key, String> map) {
        String text = map.entrySet().stream()
                .map(each -> each.getKey() + "=" + each.getValue())
                .sorted()
                .collect(Collectors.joining("\n"));
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest).substring(0, HASH_DIGITS);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** The settings that differ, each with both values; empty when none does. */
    List<String> differences(SharedSettings recorded) {
        List<String> differences = new ArrayList<>();
        if (fenceBase != recorded.fenceBase) {
            differences.add("--consul-fence-base is " + fenceBase + " here and " + recorded.fenceBase + " there");
        }
        if (!holders.equals(recorded.holders)) {
            differences.add("--consul-holders is " + holders + " here and " + recorded.holders + " there");
        }
        if (!map.equals(recorded.map)) {
            differences.add("--consul-map has the hash " + map + " here and " + recorded.map + " there");
        }
        return differences;
    }
}
