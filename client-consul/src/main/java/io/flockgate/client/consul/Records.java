package io.flockgate.client.consul;

import io.flockgate.client.LeaseEnvironment;
import io.flockgate.consul.format.ClusterRecord;
import io.flockgate.consul.format.Flags;
import io.flockgate.consul.format.HoldersForm;
import io.flockgate.consul.format.KeyPath;
import io.flockgate.consul.format.KeyView;
import io.flockgate.consul.format.Names;
import io.flockgate.consul.format.SharedSettings;
import io.flockgate.consul.kv.ConsulException;
import io.flockgate.consul.kv.ConsulException.Effect;
import io.flockgate.consul.kv.KvEntry;
import io.flockgate.consul.kv.KvOp;
import io.flockgate.consul.kv.TxnOutcome;
import io.flockgate.consul.rules.ClusterMemory;
import io.flockgate.consul.rules.FenceGuard;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the layout of the cluster, and the fences that this client has seen.
 *
 * <ol>
 *   <li>Read the record before the first use. If there is none, create it, as the first gateway
 *       does.
 *   <li>Refuse to work if its map differs from this client's, or if its format is unknown.
 *   <li>Every write depends on the record's index. When that has changed, read the record again.
 *   <li>If it then belongs to another cluster, or has other settings, no longer grant or renew
 *       anything. Only a new client uses the new settings.
 *   <li>If the record no longer exists, recreate it from the last one and the highest fence. Consul
 *       may have lost its data ({@link ClusterMemory}), so with a recreated record, grant nothing
 *       until other members have had time to leave their fences in it.
 * </ol>
 *
 * Thread safe.
 */
final class Records {
    /** The time within which other members notice that the record was recreated. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final ConsulApi api;
    private final String name;
    private final String base;
    private final Map<String, String> mapped;
    private final @Nullable HoldersForm form;
    private final LeaseEnvironment environment;

    /** Held while the record is read, so that one thread decides. */
    private final ReentrantLock loading = new ReentrantLock();

    /** The last record of this cluster. Written while {@link #loading} is held. */
    private volatile @Nullable Known known;

    private volatile @Nullable Layout current;

    /**
     * The nanoseconds for which nothing must be granted, as of the last read of the record. Written
     * while {@link #loading} is held.
     */
    private volatile long left;

    private record Known(Layout layout, FenceGuard fences, ClusterMemory memory) {}

    Records(
            ConsulApi api,
            String base,
            Map<String, String> mapped,
            @Nullable HoldersForm form,
            LeaseEnvironment environment) {
        this.api = api;
        this.name = Names.record(base);
        this.base = base;
        this.mapped = Map.copyOf(mapped);
        this.form = form;
        this.environment = environment;
    }

    /** The layout; reads the record if necessary. */
    Layout layout(long deadline) {
        Layout usable = current;
        return usable != null ? usable : load(false, false, deadline);
    }

    /** Whether grants may be made. While they may not, each call reads the record again. */
    boolean mayGrant(long deadline) {
        if (left > 0) {
            Layout unused = load(true, false, deadline);
        }
        return left == 0;
    }

    /**
     * @throws ConsulException if no grants may be made now
     */
    void requireGrants(long deadline) {
        if (!mayGrant(deadline)) {
            throw Errors.unavailable(
                    Effect.NOT_DONE,
                    "the record of the cluster in Consul was made again: Consul may have lost its data. This client grants nothing for "
                            + (TimeUnit.NANOSECONDS.toSeconds(left) + 1) + " s, in which others leave their fences");
        }
    }

    /** Must be called when the record turns out to differ from this one. */
    void changed(Layout stale) {
        Layout usable = current;
        if (usable != null && usable.entry().modifyIndex() == stale.entry().modifyIndex()) {
            current = null;
        }
    }

    /**
     * Reads the record again, because Consul may have lost its data. If it has, the record then
     * shows this to other members.
     *
     * @param fell whether an index was not above an earlier one
     */
    void recheck(boolean fell, long deadline) {
        Layout unused = load(true, fell, deadline);
    }

    /** The fences that this client has seen. Only after {@link #layout}. */
    FenceGuard fences() {
        Known last = known;
        if (last == null) {
            throw new IllegalStateException("the record has not been read");
        }
        return last.fences();
    }

    /** Notes the indexes of a read. */
    void seen(KeyView view) {
        Known last = known;
        if (last != null) {
            last.fences().seen(view.newestChange());
        }
    }

    private Layout load(boolean again, boolean fell, long deadline) {
        lock(deadline);
        try {
            Layout usable = again ? null : current;
            current = usable;
            return usable != null ? usable : read(fell, deadline);
        } finally {
            loading.unlock();
        }
    }

    private void lock(long deadline) {
        try {
            if (loading.tryLock(Math.max(0, deadline - now()), TimeUnit.NANOSECONDS)) {
                return;
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        throw Errors.unavailable(Effect.NOT_DONE, "the record of the cluster has not been read in time");
    }

    private long now() {
        return environment.ticker().nanos();
    }

    private Layout read(boolean fell, long deadline) {
        while (true) {
            KvEntry entry = api.entry(name, deadline);
            if (entry == null) {
                make(deadline);
                continue;
            }
            Layout read = Layout.parse(entry);
            requireMine(read);
            Known last = joined(read);
            boolean own = fell || last.memory().isRecreated(read.record());
            if (last.memory()
                    .agrees(entry, read.record(), own, (before, wanted) -> replace(before, wanted, deadline))) {
                known = new Known(read, last.fences(), last.memory());
                left = last.memory().untilGrants(read.record(), now(), PATIENCE.toNanos());
                current = read;
                return read;
            }
        }
    }

    /** What is known, with this record as the first one if there was none. */
    private Known joined(Layout read) {
        Known last = known;
        if (last == null) {
            FenceGuard fences = new FenceGuard(read.record().settings().fenceBase());
            last = new Known(read, fences, new ClusterMemory(fences));
        } else if (!last.layout().hasSettingsOf(read)) {
            throw Errors.invalid("the record of the cluster in Consul has changed: make a new client");
        }
        return last;
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

    private void make(long deadline) {
        Known last = known;
        HoldersForm holders = form == null ? HoldersForm.LIST : form;
        ClusterRecord record = last != null
                ? last.memory().newRecord(last.layout().record().settings(), environment.random())
                : new ClusterMemory(new FenceGuard(0)).newRecord(settings(holders), environment.random());
        long unused = write(new KvOp.Cas(name, Flags.NONE, record.toBytes(), 0), deadline);
    }

    private long replace(KvEntry before, ClusterRecord wanted, long deadline) {
        return write(new KvOp.Cas(name, Flags.NONE, wanted.toBytes(), before.modifyIndex()), deadline);
    }

    /** The index of the write; 0 if the record was changed in the meantime. */
    private long write(KvOp write, long deadline) {
        TxnOutcome made = api.txn(List.of(write), deadline);
        if (made instanceof TxnOutcome.NotDone failed) {
            throw failed.cause();
        } else if (made instanceof TxnOutcome.Unknown failed) {
            throw failed.cause();
        } else if (made instanceof TxnOutcome.Committed committed) {
            return committed.results().get(0).modifyIndex();
        }
        return 0;
    }

    KeyPath path(String key) {
        String prefix = mapped.get(key);
        return prefix != null ? new KeyPath(prefix, true) : new KeyPath(base + Names.escape(key), false);
    }
}
