package io.flockgate.client.consul;

import io.flockgate.client.consul.ConsulException.Kind;
import io.flockgate.client.json.JsonException;
import io.flockgate.client.json.JsonObject;
import io.flockgate.client.json.JsonReader;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The layout that all gateways and clients of one cluster share, as its record tells it (protocol-docs/consul-layout.md, "The record of the
 * cluster").
 *
 * @param record the entry of the record. Every write depends on it
 * @param format the version of everything below the prefix
 * @param cluster the identity of the cluster
 * @param fenceBase the number that is added to Consul's index to make a fence
 * @param mapHolders whether new semaphores list their holders in a map
 * @param map a hash of the mapped keys
 */
record Layout(Entry record, long format, String cluster, long fenceBase, boolean mapHolders, String map) {
    private static final Set<String> HOLDERS = Set.of("list", "map");
    private static final int FORMAT = 2;
    private static final int HASH_DIGITS = 16;
    private static final int MAX_BYTES = 64 * 1024;

    static String recordName(String base) {
        return base + ".flockgate";
    }

    /** The fence of a grant at this index. */
    long fence(long index) {
        return fenceBase + index;
    }

    /** Whether grants of the other layout are grants of this one. */
    boolean agreesWith(Layout other) {
        return format == other.format
                && cluster.equals(other.cluster)
                && fenceBase == other.fenceBase
                && map.equals(other.map);
    }

    /** The value of a new record, as the first gateway of a cluster makes it. */
    static byte[] newRecord(String cluster, boolean mapHolders, String map) {
        return JsonObject.builder()
                .put("format", FORMAT)
                .put("cluster", cluster)
                .put("fence_base", 0)
                .put("holders", mapHolders ? "map" : "list")
                .put("map", map)
                .put("fence_floor", "0")
                .put("checks", 0)
                .build()
                .toBytes();
    }

    /** Reads a record. A record of an unknown format, or one that must not be used now, is refused. */
    static Layout parse(Entry record) {
        try {
            return read(record, JsonReader.readObject(record.value(), MAX_BYTES));
        } catch (JsonException other) {
            throw refused("cannot be read: " + other.getMessage());
        }
    }

    private static Layout read(Entry record, JsonObject json) {
        Long format = json.number("format");
        if (format == null || format != FORMAT) {
            throw refused("has the format " + format + ". This client knows the format 2: use a newer client");
        }
        String cluster = json.string("cluster");
        String holders = json.string("holders");
        String map = json.string("map");
        Long base = json.number("fence_base");
        if (cluster == null || map == null || base == null || holders == null || !HOLDERS.contains(holders)) {
            throw refused("has not the fields of its format");
        }
        requireRisingFences(record, base, json.string("fence_floor"));
        return new Layout(record, format, cluster, base, holders.equals("map"), map);
    }

    private static void requireRisingFences(Entry record, long base, @Nullable String floor) {
        long lowest = floor == null ? 0 : unsigned(floor);
        if (Long.compareUnsigned(base + record.modifyIndex(), lowest) <= 0) {
            throw new ConsulException(
                    Kind.INVALID,
                    false,
                    "Consul has lost data: its next fence is not above " + floor + ", which was given before",
                    null);
        }
    }

    private static long unsigned(String number) {
        try {
            return Long.parseUnsignedLong(number);
        } catch (NumberFormatException other) {
            throw refused("has a fence_floor that is no number");
        }
    }

    private static ConsulException refused(String why) {
        return new ConsulException(Kind.INVALID, false, "the record of the cluster in Consul " + why, null);
    }

    /** The hash of the keys that have prefixes of their own. */
    static String hash(Map<String, String> mapped) {
        String text = mapped.entrySet().stream()
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
}
