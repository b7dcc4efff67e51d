package io.flockgate.client.consul;

import io.flockgate.consul.format.ClusterRecord;
import io.flockgate.consul.format.Flags;
import io.flockgate.consul.format.HoldersForm;
import io.flockgate.consul.format.KeyPath;
import io.flockgate.consul.format.Names;
import io.flockgate.consul.format.SharedSettings;
import io.flockgate.consul.kv.KvEntry;
import io.flockgate.consul.kv.KvOp;
import io.flockgate.consul.kv.TxnOutcome;
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
    private final @Nullable HoldersForm form;
    private final RandomGenerator random;
    private @Nullable Layout first;
    private @Nullable Layout current;

    Records(
            ConsulApi api,
            String base,
            Map<String, String> mapped,
            @Nullable HoldersForm form,
            RandomGenerator random) {
        this.api = api;
        this.base = base;
        this.mapped = Map.copyOf(mapped);
        this.form = form;
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
        if (current != null && current.entry().modifyIndex() == stale.entry().modifyIndex()) {
            current = null;
        }
    }

    private synchronized Layout accept(Layout read) {
        requireMine(read);
        if (first == null) {
            first = read;
        } else if (!first.agreesWith(read)) {
            throw Errors.invalid("the record of the cluster in Consul has changed: make a new client");
        }
        current = read;
        return read;
    }

    private void requireMine(Layout read) {
        SharedSettings mine = settings(read.form());
        if (!mine.map().equals(read.record().settings().map())) {
            throw Errors.invalid("the mapped keys differ: their hash is " + mine.map() + " here and "
                    + read.record().settings().map() + " in the record of the cluster in Consul");
        }
        if (form != null && form != read.form()) {
            throw Errors.invalid("the form of the holders differs: the record of the cluster in Consul has holders "
                    + read.form().text());
        }
    }

    private SharedSettings settings(HoldersForm holders) {
        return SharedSettings.of(0, holders, mapped);
    }

    private Layout load(long deadline) {
        String name = Names.record(base);
        while (true) {
            KvEntry record = api.entry(name, deadline);
            if (record != null) {
                return Layout.parse(record);
            }
            TxnOutcome made = api.txn(List.of(new KvOp.Cas(name, Flags.NONE, newRecord(), 0)), deadline);
            if (made instanceof TxnOutcome.NotDone failed) {
                throw failed.cause();
            } else if (made instanceof TxnOutcome.Unknown failed) {
                throw failed.cause();
            }
        }
    }

    private byte[] newRecord() {
        Layout before = beginning();
        if (before != null) {
            return before.entry().value();
        }
        String cluster = HexFormat.of().toHexDigits(random.nextLong());
        HoldersForm holders = form == null ? HoldersForm.LIST : form;
        return ClusterRecord.of(cluster, settings(holders), 0).toBytes();
    }

    private synchronized @Nullable Layout beginning() {
        return first;
    }

    /** The path of a key. */
    KeyPath path(String name) {
        String prefix = mapped.get(name);
        return prefix != null ? new KeyPath(prefix, true) : new KeyPath(base + Names.escape(name), false);
    }
}
