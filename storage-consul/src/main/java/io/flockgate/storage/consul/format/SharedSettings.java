package io.flockgate.storage.consul.format;

import io.flockgate.text.Sha256;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The settings that all gateways of one base must share. Two gateways with different settings would
 * grant one key to two holders, or issue falling fences.
 *
 * @param fenceBase the number added to Consul's index to form a fence
 * @param holders the form of the holders in new documents: {@code list} or {@code map}
 * @param map a hash of the keys that have their own prefixes
 */
public record SharedSettings(long fenceBase, String holders, String map) {
    private static final int HASH_DIGITS = 16;

    /**
     * Creates settings.
     *
     * @param mapped the keys with their own prefixes, and these prefixes
     */
    public static SharedSettings of(long fenceBase, HoldersForm holders, Map<String, String> mapped) {
        return new SharedSettings(fenceBase, holders.text(), hash(mapped));
    }

    /** The hash of the keys with their own prefixes, and of these prefixes. */
    private static String hash(Map<String, String> mapped) {
        String text = mapped.entrySet().stream()
                .map(each -> each.getKey() + "=" + each.getValue())
                .sorted()
                .collect(Collectors.joining("\n"));
        return Sha256.hex(text.getBytes(StandardCharsets.UTF_8)).substring(0, HASH_DIGITS);
    }
}
