package io.flockgate.client.consul;

import io.flockgate.client.consul.ConsulApi.Txn;
import io.flockgate.client.consul.ConsulException.Kind;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the layout of the cluster.
 *
 * <ol>
 *   <li>Read the record before the first use. If there is none, make it, as the first gateway does.
 *   <li>Refuse to work if its map is not that of this client, or if its format is unknown.
 *   <li>Every write depends on the record's index. When that has changed, read the record again.
 *   <li>If it then belongs to another cluster, or has other settings, nothing is granted or renewed any more. Only a new client uses the
 *       new settings.
 * </ol>
 *
 * Thread safe.
 */
final class Records {
    private final ConsulApi api;
    private final String base;
    private final Map<String, String> mapped;
    private final @Nullable Boolean mapHolders;
    private final RandomGenerator random;
    private @Nullable Layout first;
    private @Nullable Layout current;

    Records(
            ConsulApi api,
            String base,
            Map<String, String> mapped,
            @Nullable Boolean mapHolders,
            RandomGenerator random) {
        this.api = api;
        this.base = base;
        this.mapped = Map.copyOf(mapped);
        this.mapHolders = mapHolders;
        this.random = random;
    }

    /** The layout; reads the record if that is necessary. */
    Layout layout(long deadline) {
        Layout known = known();
        return known != null ? known : accept(load(deadline));
    }

    private synchronized @Nullable Layout known() {
        return current;
    }

    /** Has to be called when a write was refused because the record has another index than this. */
    synchronized void changed(Layout stale) {
        if (current != null && current.record().modifyIndex() == stale.record().modifyIndex()) {
            current = null;
        }
    }

    private synchronized Layout accept(Layout read) {
        requireMine(read);
        if (first == null) {
            first = read;
        } else if (!first.agreesWith(read)) {
            throw invalid("the record of the cluster in Consul has changed: make a new client");
        }
        current = read;
        return read;
    }

    private void requireMine(Layout read) {
        String mine = Layout.hash(mapped);
        if (!mine.equals(read.map())) {
            throw invalid("the mapped keys differ: their hash is " + mine + " here and " + read.map()
                    + " in the record of the cluster in Consul");
        }
        if (mapHolders != null && mapHolders != read.mapHolders()) {
            throw invalid("the form of the holders differs: the record of the cluster in Consul has holders "
                    + (read.mapHolders() ? "map" : "list"));
        }
    }

    private static ConsulException invalid(String why) {
        return new ConsulException(Kind.INVALID, false, why, null);
    }

    private Layout load(long deadline) {
        String name = Layout.recordName(base);
        while (true) {
            Entry record = api.entry(name, deadline);
            if (record != null) {
                return Layout.parse(record);
            }
            Txn unused = api.txn(List.of(Ops.cas(name, Flags.NONE, newRecord(), null)), deadline);
        }
    }

    private byte[] newRecord() {
        Layout before = beginning();
        if (before != null) {
            return before.record().value();
        }
        String cluster = HexFormat.of().toHexDigits(random.nextLong());
        boolean asMap = mapHolders != null && mapHolders;
        return Layout.newRecord(cluster, asMap, Layout.hash(mapped));
    }

    private synchronized @Nullable Layout beginning() {
        return first;
    }

    /** The path of a key. */
    KeyPath path(String name) {
        String prefix = mapped.get(name);
        return new KeyPath((prefix != null ? prefix : base + KeyPath.escape(name)) + "/");
    }
}
