package io.flockgate.consul.format;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The settings that all gateways and clients of one base must share. Two members that differ would
 * give one key to two holders, or give fences that fall.
 *
 * @param fenceBase the number that is added to Consul's index to make a fence
 * @param holders the form of the holders in new documents: {@code list} or {@code map}
 * @param map a hash of the keys that have prefixes of their own
 */
public record SharedSettings(long fenceBase, String holders, String map) {
    private static final int HASH_DIGITS = 16;

    /**
     * Settings.
     *
     * @param mapped the keys with prefixes of their own, and these prefixes
     */
    public static SharedSettings of(long fenceBase, HoldersForm holders, Map<String, String> mapped) {
        return new SharedSettings(fenceBase, holders.text(), hash(mapped));
    }

    /** The hash of keys with prefixes of their own, and of these prefixes. */
    private static String hash(Map<String, String> mapped) {
        String text = mapped.entrySet().stream()
                .map(each -> each.getKey() + "=" + each.getValue())
                .sorted()
                .collect(Collectors.joining("\n"));
        return Sha256.hex(text.getBytes(StandardCharsets.UTF_8)).substring(0, HASH_DIGITS);
    }
}
