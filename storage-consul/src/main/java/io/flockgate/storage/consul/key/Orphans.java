package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.format.KeyPath;
import io.flockgate.storage.consul.format.KeyView;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.consul.kv.TxnOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes orphans: tickets and contender keys that no session holds, and a sequence that is the
 * only entry left of a key. They come from a session that has ended, from a restored export, or
 * from a manual deletion. The contender key of a slot whose session has ended is not an orphan
 * while the document names its session. Thread safe.
 */
final class Orphans {
    private static final Logger LOG = LoggerFactory.getLogger(Orphans.class);
    private static final int MAX_OPERATIONS = 64;

    /** The maximum number of transactions in one sweep. */
    private static final int MAX_TRANSACTIONS = 16;

    private final Environment environment;
    private final ConsulApi api;
    private final Duration patience;
    private final AtomicBoolean sweeping = new AtomicBoolean();

    /**
     * The orphans of the last call, with the time since which each has been unchanged. Confined to
     * the caller of {@link #collect}.
     */
    private Map<String, Seen> seen = new HashMap<>();

    private record Seen(KvEntry entry, long since) {}

    /**
     * @param patience the time for which an orphan must be unchanged before it is deleted
     */
    Orphans(Environment environment, ConsulApi api, Duration patience) {
        this.environment = environment;
        this.api = api;
        this.patience = patience;
    }

    /** The orphans among all entries of a key. */
    static List<KvEntry> of(KeyView view, List<KvEntry> entries) {
        KeyPath path = view.path();
        Set<String> ended =
                view.endedSlots().stream().map(slot -> slot.entry().key()).collect(Collectors.toSet());
        List<KvEntry> orphans = new ArrayList<>();
        for (KvEntry entry : entries) {
            if (path.isOrphan(entry) && !ended.contains(entry.key())) {
                orphans.add(entry);
            }
        }
        KvEntry other = entries.size() == orphans.size() + 1 ? firstBut(orphans, entries) : null;
        if (other != null && other.key().equals(path.sequence())) {
            orphans.add(other);
        }
        return List.copyOf(orphans);
    }

    private static KvEntry firstBut(List<KvEntry> orphans, List<KvEntry> entries) {
        Set<String> keys = orphans.stream().map(KvEntry::key).collect(Collectors.toSet());
        return entries.stream()
                .filter(each -> !keys.contains(each.key()))
                .findFirst()
                .orElseThrow();
    }

    /**
     * Begins to delete the orphans that have been unchanged for long enough. Does not block. For
     * one thread.
     *
     * @param now all orphans below the base in the last read
     */
    void collect(List<KvEntry> now) {
        Map<String, Seen> fresh = new HashMap<>();
        List<KvEntry> old = new ArrayList<>();
        long time = environment.now();
        for (KvEntry entry : now) {
            Seen before = seen.get(entry.key());
            Seen current = before != null && before.entry().modifyIndex() == entry.modifyIndex()
                    ? before
                    : new Seen(entry, time);
            fresh.put(entry.key(), current);
            if (time - current.since() > patience.toNanos()) {
                old.add(entry);
            }
        }
        seen = fresh;
        if (!old.isEmpty() && sweeping.compareAndSet(false, true)) {
            environment.start("consul-collect", () -> sweep(old));
        }
    }

    private void sweep(List<KvEntry> orphans) {
        try {
            int end = Math.min(orphans.size(), MAX_TRANSACTIONS * MAX_OPERATIONS);
            for (int from = 0; from < end; from += MAX_OPERATIONS) {
                delete(orphans.subList(from, Math.min(from + MAX_OPERATIONS, end)));
            }
        } catch (ConsulException e) {
            LOG.atDebug().addKeyValue("err", e.getMessage()).log("orphans could not be deleted; they are tried again");
        } finally {
            sweeping.set(false);
        }
    }

    private void delete(List<KvEntry> orphans) {
        List<KvOp> operations = new ArrayList<>();
        orphans.forEach(each -> operations.add(new KvOp.DeleteCas(each.key(), each.modifyIndex())));
        // After a conflict an entry has changed. The next sweep uses the read that shows it.
        TxnOutcome.Committed unused = api.txn(operations).committed();
    }
}
