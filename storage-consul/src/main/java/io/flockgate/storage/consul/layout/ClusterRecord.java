package io.flockgate.storage.consul.layout;

import io.vertx.core.json.JsonObject;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The record of the cluster of gateways that share one base (Consul layout, "The record of the cluster"). Check-and-set alone
 * writes it.
 *
 * @param cluster the identity of the cluster, chosen at random when the record is made
 * @param fenceFloor a fence that a gateway has seen, unsigned; all later fences are above it. 0 for none
 * @param checks rises when a gateway writes the record to learn Consul's index
 */
public record ClusterRecord(String cluster, SharedSettings settings, long fenceFloor, long checks) {
    /** The version of everything that gateways write below the base. */
    public static final int FORMAT = 1;

    private static final String NAME = ".flockgate";

    /** The name of the record. No key has it, because an escaped name does not begin with a dot. */
    public static String name(String base) {
        return base + NAME;
    }

    /** The differences between settings and the record, each with both values; empty when there is none. */
    public List<String> differences(SharedSettings mine) {
        return mine.differences(settings);
    }

    /** This record with settings that a gateway adopts. */
    public ClusterRecord with(SharedSettings adopted) {
        return new ClusterRecord(cluster, adopted, fenceFloor, checks);
    }

    /** This record after one more check. The floor does not fall. */
    public ClusterRecord checked(long fence) {
        long floor = Long.compareUnsigned(fence, fenceFloor) > 0 ? fence : fenceFloor;
        return new ClusterRecord(cluster, settings, floor, checks + 1);
    }

    public byte[] toBytes() {
        return new JsonObject()
                .put("format", FORMAT)
                .put("cluster", cluster)
                .put("fence_base", settings.fenceBase())
                .put("holders", settings.holders())
                .put("map", settings.map())
                .put("fence_floor", Long.toUnsignedString(fenceFloor))
                .put("checks", checks)
                .toBuffer()
                .getBytes();
    }

    /** Reads a record. Null when the value is no record of this format. */
    public static @Nullable ClusterRecord parse(byte[] value) {
        return MarkParser.parse(value, json -> {
            String cluster = json.getString("cluster");
            String holders = json.getString("holders");
            String map = json.getString("map");
            Long fenceBase = json.getLong("fence_base");
            boolean known = json.getInteger("format", 0) == FORMAT;
            if (!known || cluster == null || holders == null || map == null || fenceBase == null) {
                return null;
            }
            long floor = Long.parseUnsignedLong(json.getString("fence_floor", "0"));
            return new ClusterRecord(
                    cluster, new SharedSettings(fenceBase, holders, map), floor, json.getLong("checks", 0L));
        });
    }
}
