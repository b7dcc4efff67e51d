package io.flockgate.storage.consul.layout;

import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The record of the cluster of gateways that share one base (Consul layout, "The record of the cluster"). Check-and-set alone
 * writes it. A gateway keeps the fields that it does not know.
 *
 * @param names the form of the keys' names, which the format of the record tells
 * @param oldNames whether something may still stand under names of an older form
 * @param cluster the identity of the cluster, chosen at random when the record is made
 * @param fenceFloor a fence that a gateway has seen, unsigned; all later fences are above it. 0 for none
 * @param checks rises when a gateway writes the record to learn Consul's index
 * @param others the other fields by name
 */
public record ClusterRecord(
        NameForm names,
        String cluster,
        SharedSettings settings,
        long fenceFloor,
        long checks,
        boolean oldNames,
        Map<String, Object> others) {
    private static final Set<String> FIELDS =
            Set.of("format", "cluster", "fence_base", "holders", "map", "fence_floor", "checks", "old_names");

    private static final String NAME = ".flockgate";

    /** The name of the record. No key has it, because an escaped name does not begin with a dot. */
    public static String name(String base) {
        return base + NAME;
    }

    /** A new record. */
    public static ClusterRecord of(NameForm names, String cluster, SharedSettings settings, long fenceFloor) {
        return new ClusterRecord(names, cluster, settings, fenceFloor, 0, false, Map.of());
    }

    /** The formats that this gateway can read, for a message. */
    public static String formats() {
        return NameForm.TILDE.format() + " or " + NameForm.COMMA.format();
    }

    public int format() {
        return names.format();
    }

    /** The differences between settings and the record, each with both values; empty when there is none. */
    public List<String> differences(SharedSettings mine) {
        return mine.differences(settings);
    }

    /** This record with settings that a gateway adopts, and with the newest form of names. */
    public ClusterRecord adopting(SharedSettings adopted) {
        boolean old = oldNames || names != NameForm.COMMA;
        return new ClusterRecord(NameForm.COMMA, cluster, adopted, fenceFloor, checks, old, others);
    }

    /** This record when nothing stands under old names any more. */
    public ClusterRecord withoutOldNames() {
        return new ClusterRecord(names, cluster, settings, fenceFloor, checks, false, others);
    }

    /** This record after one more check. The floor does not fall. */
    public ClusterRecord checked(long fence) {
        long floor = Long.compareUnsigned(fence, fenceFloor) > 0 ? fence : fenceFloor;
        return new ClusterRecord(names, cluster, settings, floor, checks + 1, oldNames, others);
    }

    public byte[] toBytes() {
        JsonObject json = new JsonObject()
                .put("format", format())
                .put("cluster", cluster)
                .put("fence_base", settings.fenceBase())
                .put("holders", settings.holders())
                .put("map", settings.map())
                .put("fence_floor", Long.toUnsignedString(fenceFloor))
                .put("checks", checks);
        if (oldNames) {
            json.put("old_names", true);
        }
        others.forEach(json::put);
        return json.toBuffer().getBytes();
    }

    /** Reads a record. Null when the value is no record of a known format. */
    public static @Nullable ClusterRecord parse(byte[] value) {
        return MarkParser.parse(value, json -> {
            String cluster = json.getString("cluster");
            String holders = json.getString("holders");
            String map = json.getString("map");
            Long fenceBase = json.getLong("fence_base");
            NameForm names = names(json.getInteger("format", 0));
            if (names == null || cluster == null || holders == null || map == null || fenceBase == null) {
                return null;
            }
            long floor = Long.parseUnsignedLong(json.getString("fence_floor", "0"));
            return new ClusterRecord(
                    names,
                    cluster,
                    new SharedSettings(fenceBase, holders, map),
                    floor,
                    json.getLong("checks", 0L),
                    json.getBoolean("old_names", false),
                    MarkParser.others(json, FIELDS));
        });
    }

    private static @Nullable NameForm names(int format) {
        return Stream.of(NameForm.values())
                .filter(each -> each.format() == format)
                .findFirst()
                .orElse(null);
    }
}
