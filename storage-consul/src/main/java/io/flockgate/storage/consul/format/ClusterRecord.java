package io.flockgate.storage.consul.format;

import io.flockgate.storage.consul.format.SemaphoreDocument.HoldersForm;
import io.flockgate.storage.consul.json.JsonValue.JsonObject;
import io.flockgate.text.Sha256;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The record of the cluster of gateways that share one base (protocol-docs/consul-layout.md, "The
 * record of the cluster"). It is written only by check-and-set. Unknown fields are kept.
 *
 * @param cluster the identity of the cluster, chosen at random when the record is first created
 * @param made chosen at random each time the record is created, including after its loss
 * @param fenceFloor a fence that a gateway has seen, unsigned; all later fences are above it; 0 for
 *     none
 * @param checks rises when a gateway writes the record to obtain Consul's index
 * @param others the other fields by name
 */
public record ClusterRecord(
        String cluster, String made, SharedSettings settings, long fenceFloor, long checks, JsonObject others) {
    /** The format version of everything below the base. */
    public static final int FORMAT = 2;

    private static final Set<String> FIELDS =
            Set.of("format", "cluster", "made", "fence_base", "holders", "map", "fence_floor", "checks");

    /** A new record. */
    public static ClusterRecord of(String cluster, String made, SharedSettings settings, long fenceFloor) {
        return new ClusterRecord(cluster, made, settings, fenceFloor, 0, JsonObject.EMPTY);
    }

    /** This record after one more check. The floor does not fall. */
    public ClusterRecord checked(long fence) {
        long floor = Long.compareUnsigned(fence, fenceFloor) > 0 ? fence : fenceFloor;
        return new ClusterRecord(cluster, made, settings, floor, checks + 1, others);
    }

    public byte[] toBytes() {
        return JsonObject.builder()
                .put("format", FORMAT)
                .put("cluster", cluster)
                .put("made", made)
                .put("fence_base", settings.fenceBase())
                .put("holders", settings.holders())
                .put("map", settings.map())
                .put("fence_floor", Long.toUnsignedString(fenceFloor))
                .put("checks", checks)
                .putAll(others)
                .toBytes();
    }

    /** Reads a record. Null when the value is not a record of the known format. */
    public static @Nullable ClusterRecord parse(byte[] value) {
        return Values.parse(value, json -> {
            String cluster = json.string("cluster");
            String holders = json.string("holders");
            String map = json.string("map");
            Long fenceBase = json.number("fence_base");
            Long floor = unsigned(json.string("fence_floor"));
            Long checks = json.number("checks");
            if (Values.whole(json, "format", 0, 0) != FORMAT
                    || cluster == null
                    || holders == null
                    || map == null
                    || fenceBase == null
                    || floor == null) {
                return null;
            }
            SharedSettings settings = new SharedSettings(fenceBase, holders, map);
            return new ClusterRecord(
                    cluster,
                    Objects.requireNonNullElse(json.string("made"), ""),
                    settings,
                    floor,
                    Objects.requireNonNullElse(checks, 0L),
                    json.without(FIELDS));
        });
    }

    private static @Nullable Long unsigned(@Nullable String number) {
        try {
            return number == null ? 0L : Long.valueOf(Long.parseUnsignedLong(number));
        } catch (NumberFormatException other) {
            return null;
        }
    }

    /**
     * The settings that all gateways of one base must share. Two gateways with different settings
     * would grant one key to two holders, or issue falling fences.
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
}
