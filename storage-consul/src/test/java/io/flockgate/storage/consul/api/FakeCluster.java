package io.flockgate.storage.consul.api;

import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.json.JsonException;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvList;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.consul.kv.RequestJson;
import io.flockgate.storage.consul.kv.TxnOutcome;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A stand-in for Consul in this process, without its clients: keys, sessions and the log. Its
 * public methods act as another client without faults, or as an operator. Thread-safe.
 */
public final class FakeCluster {
    private static final int MAX_OPERATIONS = 64;
    private static final long FIRST_INDEX = 10;
    private static final String NODE = "fake";
    private static final int MAX_BODY = 512 * 1024;
    private static final Duration MIN_TTL = Duration.ofSeconds(1);
    private static final Duration MAX_TTL = Duration.ofDays(1);
    /** The time for which a wait does not check for ended sessions. */
    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private record FakeSession(Duration ttl, long ends) {}

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private Map<String, FakeSession> sessions = new LinkedHashMap<>();
    private FakeKv kv = new FakeKv();
    private FakeKv saved = new FakeKv();
    private Map<String, FakeSession> savedSessions = Map.of();
    private long savedIndex = FIRST_INDEX;
    private int restores;
    private long nodeIndex = 1;

    /** The index that each running watch has seen. */
    private final Map<Watch, Long> awaited = new HashMap<>();

    private long index = FIRST_INDEX;

    /** A client has at most one watch of a prefix at a time. */
    private record Watch(FakeConsul client, String prefix) {}

    /** The index of the newest write. The real Consul's log has more entries. */
    public long raftIndex() {
        return locked(() -> index);
    }

    void wake() {
        change(() -> {});
    }

    public KvList list(String prefix) {
        return locked(() -> new KvList(kv.tree(prefix), kv.index(prefix)));
    }

    /** All entries of a prefix. */
    public List<KvEntry> tree(String prefix) {
        return list(prefix).entries();
    }

    /**
     * @param broken checked periodically; ends the wait when true
     */
    KvList watch(FakeConsul client, String prefix, long after, Duration wait, BooleanSupplier broken)
            throws InterruptedException {
        Watch watch = new Watch(client, prefix);
        int before = locked(() -> {
            awaited.put(watch, after);
            return restores;
        });
        try {
            await(wait, () -> broken.getAsBoolean() || kv.index(prefix) > after || restores != before);
        } finally {
            Long unused = locked(() -> awaited.remove(watch));
        }
        return list(prefix);
    }

    /** Whether this client has seen the current state of a prefix and waits for its next change. */
    boolean isAwaited(FakeConsul client, String prefix) {
        return locked(() -> awaited.getOrDefault(new Watch(client, prefix), -1L) >= kv.index(prefix));
    }

    /** Saves a snapshot, as an operator would. */
    public void save() {
        change(() -> {
            saved = kv.copy();
            savedSessions = Map.copyOf(sessions);
            savedIndex = index;
        });
    }

    /**
     * Restores the keys of the snapshot with their indexes; the log continues. All waits for
     * changes are answered.
     */
    public void restore() {
        change(() -> {
            kv = saved.copy();
            restores++;
        });
    }

    /** Restores the snapshot in a new cluster, whose log continues from there. */
    public void restoreElsewhere() {
        change(() -> {
            sessions = new LinkedHashMap<>(savedSessions);
            index = savedIndex;
        });
        restore();
    }

    /** Forgets everything, as a cluster that starts with empty disks does. */
    public void forget() {
        change(() -> {
            kv = new FakeKv();
            sessions = new LinkedHashMap<>();
            index = FIRST_INDEX;
            restores++;
        });
    }

    private void await(Duration time, BooleanSupplier until) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long begun = System.nanoTime();
            expire();
            while (!until.getAsBoolean() && System.nanoTime() - begun < time.toNanos()) {
                long ignored = changed.awaitNanos(TICK_NANOS);
                expire();
            }
        } finally {
            lock.unlock();
        }
    }

    public TxnOutcome txn(List<KvOp> operations) {
        return locked(() -> {
            String wrong = wrong(operations);
            if (wrong != null) {
                return new TxnOutcome.NotDone(notDone(FailureKind.INVALID, wrong));
            }
            boolean writes = operations.stream().anyMatch(FakeKv::writes);
            long at = writes ? nextEntry() : index;
            FakeKv scratch = kv.copy();
            TxnOutcome outcome = FakeKv.run(scratch, operations, at, sessions::containsKey);
            if (outcome instanceof TxnOutcome.Committed) {
                kv = scratch;
                changed.signalAll();
            }
            return outcome;
        });
    }

    private static @Nullable String wrong(List<KvOp> operations) {
        for (int i = 0; i < operations.size(); i++) {
            if (operations.get(i).key().isEmpty()) {
                return "Consul refused operation " + i + ": Must provide key";
            }
        }
        if (operations.size() > MAX_OPERATIONS) {
            return "Consul answered 413: Transaction contains too many operations";
        }
        try {
            return RequestJson.txn(operations).length > MAX_BODY ? "Consul answered 413: Request body too large" : null;
        } catch (JsonException e) {
            return "cannot be sent to Consul: " + e.getMessage();
        }
    }

    /** Writes unconditionally. */
    public KvEntry put(String key, long flags, byte[] value) {
        TxnOutcome outcome = txn(List.of(new KvOp.Set(key, flags, value)));
        if (outcome instanceof TxnOutcome.Committed committed) {
            return committed.results().getFirst();
        }
        throw new AssertionError("another client's write failed: " + outcome);
    }

    /** Deletes unconditionally. */
    public void delete(String key) {
        change(() -> kv.delete(key, nextEntry()));
    }

    public @Nullable KvEntry get(String key) {
        return locked(() -> kv.get(key));
    }

    /** The ids of the live sessions. */
    public Set<String> sessions() {
        return locked(() -> Set.copyOf(sessions.keySet()));
    }

    public String createSession(String name, Duration ttl) {
        return locked(() -> {
            if (ttl.compareTo(MIN_TTL) < 0 || ttl.compareTo(MAX_TTL) > 0) {
                throw notDone(FailureKind.INVALID, "Consul answered 500: Invalid FakeSession TTL '" + ttl + "'");
            }
            String id = UUID.randomUUID().toString();
            long ignored = nextEntry();
            sessions.put(id, new FakeSession(ttl, ends(ttl)));
            return id;
        });
    }

    /** Consul waits for twice the TTL. */
    private long ends(Duration ttl) {
        return System.nanoTime() + 2 * ttl.toNanos();
    }

    boolean renewSession(String id) {
        return locked(() ->
                sessions.computeIfPresent(id, (i, session) -> new FakeSession(session.ttl(), ends(session.ttl())))
                        != null);
    }

    @Nullable
    String sessionNode(String id) {
        return locked(() -> sessions.containsKey(id) ? NODE : null);
    }

    /** The index at which the agent joined; all clients use the same agent. */
    long nodeIndex(String node) {
        return locked(() -> node.equals(NODE) ? nodeIndex : 0);
    }

    /** Makes the agent leave, which ends its sessions, and join again. */
    public void leave() {
        change(() -> {
            endWhere(session -> true);
            nodeIndex = nextEntry();
        });
    }

    /** Ends a session, as an operator or the expiry of its TTL would. */
    public void endSession(String id) {
        change(() -> end(id));
    }

    private void end(String id) {
        long at = nextEntry();
        if (sessions.remove(id) != null) {
            kv.releaseHeldBy(id, at);
            changed.signalAll();
        }
    }

    private void expire() {
        long now = System.nanoTime();
        endWhere(session -> session.ends() <= now);
    }

    private void endWhere(Predicate<FakeSession> ended) {
        List<String> ids = sessions.entrySet().stream()
                .filter(entry -> ended.test(entry.getValue()))
                .map(Map.Entry::getKey)
                .toList();
        ids.forEach(this::end);
    }

    private long nextEntry() {
        return ++index;
    }

    /** Carries out a change, and wakes those that wait for one. */
    private void change(Runnable action) {
        Boolean unused = locked(() -> {
            action.run();
            changed.signalAll();
            return true;
        });
    }

    private <T extends @Nullable Object> T locked(Supplier<T> action) {
        lock.lock();
        try {
            expire();
            return action.get();
        } finally {
            lock.unlock();
        }
    }

    private static ConsulException notDone(FailureKind kind, String message) {
        return new ConsulException(kind, Effect.NOT_DONE, message);
    }
}
