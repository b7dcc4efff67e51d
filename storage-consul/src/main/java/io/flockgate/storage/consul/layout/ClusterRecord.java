package io.flockgate.storage.consul.layout;

import io.vertx.core.json.JsonObject;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The record of the cluster of gateways that share one base (Consul layout, "The record of the cluster"). Check-and-set alone
 * writes it.
 *
 * @param cluster the identity of the cluster, chosen at random when the record is made
 */
public record ClusterRecord(String cluster, SharedSettings settings) {
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

    public byte[] toBytes() {
        return new JsonObject()
                .put("format", FORMAT)
                .put("cluster", cluster)
                .put("fence_base", settings.fenceBase())
                .put("holders", settings.holders())
                .put("map", settings.map())
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
            return new ClusterRecord(cluster, new SharedSettings(fenceBase, holders, map));
        });
    }
}
