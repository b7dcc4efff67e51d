package io.flockgate.storage.consul.layout;

import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The record of the cluster of gateways that share one base (Consul layout, "The record of the cluster"). Check-and-set alone
 * writes it. A gateway keeps the fields that it does not know.
 *
 * @param cluster the identity of the cluster, chosen at random when the record is made
 * @param fenceFloor a fence that a gateway has seen, unsigned; all later fences are above it. 0 for none
 * @param checks rises when a gateway writes the record to learn Consul's index
 * @param others the other fields by name
 */
public record ClusterRecord(
        String cluster, SharedSettings settings, long fenceFloor, long checks, Map<String, Object> others) {
    /** The version of everything that gateways write below the base. */
    public static final int FORMAT = 2;

    private static final Set<String> FIELDS =
            Set.of("format", "cluster", "fence_base", "holders", "map", "fence_floor", "checks");

    private static final String NAME = ".flockgate";

    /** The name of the record. No key has it, because an escaped name does not begin with a dot. */
    public static String name(String base) {
        return base + NAME;
    }

    /** A new record. */
    public static ClusterRecord of(String cluster, SharedSettings settings, long fenceFloor) {
        return new ClusterRecord(cluster, settings, fenceFloor, 0, Map.of());
    }

    /** The differences between settings and the record, each with both values; empty when there is none. */
    public List<String> differences(SharedSettings mine) {
        return mine.differences(settings);
    }

    /** This record with settings that a gateway adopts. */
    public ClusterRecord adopting(SharedSettings adopted) {
        return new ClusterRecord(cluster, adopted, fenceFloor, checks, others);
    }

    /** This record after one more check. The floor does not fall. */
    public ClusterRecord checked(long fence) {
        long floor = Long.compareUnsigned(fence, fenceFloor) > 0 ? fence : fenceFloor;
        return new ClusterRecord(cluster, settings, floor, checks + 1, others);
    }

    public byte[] toBytes() {
        JsonObject json = new JsonObject()
                .put("format", FORMAT)
                .put("cluster", cluster)
                .put("fence_base", settings.fenceBase())
                .put("holders", settings.holders())
                .put("map", settings.map())
                .put("fence_floor", Long.toUnsignedString(fenceFloor))
                .put("checks", checks);
        others.forEach(json::put);
        return json.toBuffer().getBytes();
    }

    /** Reads a record. Null when the value is no record of the known format. */
    public static @Nullable ClusterRecord parse(byte[] value) {
        return MarkParser.parse(value, json -> {
            String cluster = json.getString("cluster");
            String holders = json.getString("holders");
            String map = json.getString("map");
            Long fenceBase = json.getLong("fence_base");
            if (json.getInteger("format", 0) != FORMAT
                    || cluster == null
                    || holders == null
                    || map == null
                    || fenceBase == null) {
                return null;
            }
            long floor = Long.parseUnsignedLong(json.getString("fence_floor", "0"));
            return new ClusterRecord(
                    cluster,
                    new SharedSettings(fenceBase, holders, map),
                    floor,
                    json.getLong("checks", 0L),
                    MarkParser.others(json, FIELDS));
        });
    }
}
