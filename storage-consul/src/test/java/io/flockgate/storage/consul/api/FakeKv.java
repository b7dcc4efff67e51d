package io.flockgate.storage.consul.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.consul.kv.TxnOutcome;
import io.flockgate.storage.consul.kv.TxnOutcome.Obstacle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The keys of a stand-in for Consul, with Consul's indexes. Not thread safe. */
final class FakeKv {
    private static final Comparator<String> BY_BYTES =
            (a, b) -> Arrays.compareUnsigned(a.getBytes(UTF_8), b.getBytes(UTF_8));

    private final TreeMap<String, KvEntry> entries = new TreeMap<>(BY_BYTES);
    private final TreeMap<String, Long> tombstones = new TreeMap<>(BY_BYTES);
    private long tableIndex;

    FakeKv() {}

    private FakeKv(FakeKv other) {
        entries.putAll(other.entries);
        tombstones.putAll(other.tombstones);
        tableIndex = other.tableIndex;
    }

    FakeKv copy() {
        return new FakeKv(this);
    }

    @Nullable
    KvEntry get(String key) {
        return entries.get(key);
    }

    List<KvEntry> tree(String prefix) {
        return entries.values().stream()
                .filter(entry -> entry.key().startsWith(prefix))
                .toList();
    }

    /**
     * The highest index of anything that is or was below the prefix, or of the whole table if there
     * never was anything.
     */
    long index(String prefix) {
        long index = tree(prefix).stream().mapToLong(KvEntry::modifyIndex).max().orElse(0);
        for (var tombstone : tombstones.entrySet()) {
            if (tombstone.getKey().startsWith(prefix)) {
                index = Math.max(index, tombstone.getValue());
            }
        }
        return Math.max(1, index == 0 || prefix.isEmpty() ? tableIndex : index);
    }

    /** Writes; a write that changes nothing leaves the index as it is. */
    KvEntry put(String key, long flags, byte[] value, @Nullable String session, long index) {
        KvEntry old = entries.get(key);
        if (old != null
                && old.flags() == flags
                && Objects.equals(old.session(), session)
                && Arrays.equals(old.value(), value)) {
            return old;
        }
        long created = old == null ? index : old.createIndex();
        var written = new KvEntry(key, flags, value.clone(), session, created, index);
        entries.put(key, written);
        tableIndex = index;
        return written;
    }

    void delete(String key, long index) {
        if (entries.remove(key) != null) {
            tombstones.put(key, index);
            tableIndex = index;
        }
    }

    void releaseHeldBy(String session, long index) {
        List<KvEntry> held = entries.values().stream()
                .filter(entry -> session.equals(entry.session()))
                .toList();
        for (KvEntry entry : held) {
            KvEntry unused = put(entry.key(), entry.flags(), entry.value(), null, index);
        }
    }

    /**
     * Carries out an operation and adds its result, or returns the reason why it cannot.
     *
     * @return null when it was carried out
     */
    @Nullable
    String apply(KvOp op, long index, Predicate<String> sessions, List<KvEntry> results) {
        KvEntry old = entries.get(op.key());
        return switch (op) {
            case KvOp.Set set -> {
                results.add(blank(plain(set.key(), set.flags(), set.value(), old, index)));
                yield null;
            }
            case KvOp.Cas cas -> {
                if ((old == null ? 0 : old.modifyIndex()) != cas.index()) {
                    yield "failed to set key \"" + cas.key() + "\", index is stale";
                }
                results.add(blank(plain(cas.key(), cas.flags(), cas.value(), old, index)));
                yield null;
            }
            case KvOp.Lock lock -> lock(lock, old, index, sessions, results);
            case KvOp.Unlock unlock -> unlock(unlock, old, index, results);
            case KvOp.DeleteCas delete -> {
                if (old != null && old.modifyIndex() != delete.index()) {
                    yield "failed to delete key \"" + delete.key() + "\", index is stale";
                }
                delete(delete.key(), index);
                yield null;
            }
            case KvOp.CheckIndex check -> checkIndex(check, old, results);
            case KvOp.CheckNotExists check -> old == null ? null : "key \"" + check.key() + "\" exists";
            case KvOp.GetTree get -> {
                results.addAll(tree(get.key()));
                yield null;
            }
        };
    }

    /** Ignores the holder of the key, as Consul does. */
    private KvEntry plain(String key, long flags, byte[] value, @Nullable KvEntry old, long index) {
        return put(key, flags, value, old == null ? null : old.session(), index);
    }

    private @Nullable String lock(
            KvOp.Lock op, @Nullable KvEntry old, long index, Predicate<String> sessions, List<KvEntry> results) {
        if (!sessions.test(op.session())) {
            return "invalid session \"" + op.session() + "\"";
        }
        String holder = old == null ? null : old.session();
        if (holder != null && !holder.equals(op.session())) {
            return "failed to lock key \"" + op.key() + "\", lock is already held";
        }
        results.add(blank(put(op.key(), op.flags(), op.value(), op.session(), index)));
        return null;
    }

    private @Nullable String unlock(KvOp.Unlock op, @Nullable KvEntry old, long index, List<KvEntry> results) {
        if (old == null || !op.session().equals(old.session())) {
            return "failed to unlock key \"" + op.key() + "\", lock isn't held, or is held by another session";
        }
        results.add(blank(put(op.key(), op.flags(), op.value(), null, index)));
        return null;
    }

    private static @Nullable String checkIndex(KvOp.CheckIndex op, @Nullable KvEntry old, List<KvEntry> results) {
        if (old == null) {
            return "failed to check index, key \"" + op.key() + "\" doesn't exist";
        } else if (old.modifyIndex() != op.index()) {
            return "failed index check for key \"" + op.key() + "\", current modify index " + old.modifyIndex() + " != "
                    + op.index();
        }
        results.add(blank(old));
        return null;
    }

    private static KvEntry blank(KvEntry entry) {
        return new KvEntry(
                entry.key(), entry.flags(), new byte[0], entry.session(), entry.createIndex(), entry.modifyIndex());
    }

    static boolean writes(KvOp op) {
        return switch (op) {
            case KvOp.Set o -> true;
            case KvOp.Cas o -> true;
            case KvOp.Lock o -> true;
            case KvOp.Unlock o -> true;
            case KvOp.DeleteCas o -> true;
            case KvOp.CheckIndex o -> false;
            case KvOp.CheckNotExists o -> false;
            case KvOp.GetTree o -> false;
        };
    }

    /** Carries out all operations or none. */
    static TxnOutcome run(FakeKv scratch, List<KvOp> operations, long index, Predicate<String> sessions) {
        var results = new ArrayList<KvEntry>();
        var obstacles = new ArrayList<Obstacle>();
        for (int i = 0; i < operations.size(); i++) {
            String obstacle = scratch.apply(operations.get(i), index, sessions, results);
            if (obstacle != null) {
                obstacles.add(new Obstacle(i, obstacle));
            }
        }
        return obstacles.isEmpty() ? new TxnOutcome.Committed(results) : new TxnOutcome.Conflict(obstacles);
    }
}
