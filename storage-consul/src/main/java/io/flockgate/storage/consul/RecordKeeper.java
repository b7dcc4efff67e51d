package io.flockgate.storage.consul;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.format.ClusterRecord;
import io.flockgate.storage.consul.format.ClusterRecord.SharedSettings;
import io.flockgate.storage.consul.format.Flags;
import io.flockgate.storage.consul.format.Names;
import io.flockgate.storage.consul.key.PrefixWatch;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvList;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.consul.kv.TxnOutcome;
import io.flockgate.storage.consul.rules.ClusterMemory;
import io.flockgate.storage.consul.rules.ClusterMemory.LostDataException;
import io.flockgate.storage.consul.rules.FenceGuard;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes this gateway comply with the record of its cluster. A gateway that disagrees with the
 * record has no session in Consul, so it holds and grants nothing. Thread safe.
 *
 * <p>The settings:
 *
 * <ol>
 *   <li>The gateway reads the record before it makes its session, and again after it has lost its
 *       session.
 *   <li>If there is no record, the gateway creates it from its own settings, by check-and-set.
 *   <li>If the record differs from its settings, the gateway makes no session. At startup it exits.
 *       To change them, an operator stops all members and deletes the record.
 *   <li>{@link #watch} detects each change of the record. If the record then differs from its
 *       settings, the gateway gives up all its sessions.
 * </ol>
 *
 * <p>A Consul that loses its data ({@link ClusterMemory}):
 *
 * <ol>
 *   <li>After it has lost its session, and when {@link #watch} detects that indexes have
 *       fallen, the gateway compares the index of the record with all fences that it has seen.
 *   <li>If the record is missing, the gateway recreates it from its memory. The session and the
 *       record may have been lost together, and other members may have seen higher fences.
 *       Therefore, if the record was recreated since its last session, a gateway waits for one
 *       session TTL before it makes another.
 *   <li>The gateway checks the record before it makes its session, and again afterwards, so that
 *       the session cannot belong to a Consul that lost its data in between.
 * </ol>
 */
final class RecordKeeper implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(RecordKeeper.class);
    private static final int MAX_ATTEMPTS = 10;

    private final Environment environment;
    private final ConsulApi api;

    /** The name of the record's entry. */
    private final String name;

    private final SharedSettings settings;
    private final FenceGuard fences;
    private final Duration sessionTtl;

    @GuardedBy("this")
    private final ClusterMemory memory;

    /** The record as it was last read; null if there was none. */
    @GuardedBy("this")
    private @Nullable KvEntry seen;

    private volatile @Nullable String conflict;

    RecordKeeper(
            Environment environment,
            ConsulApi api,
            String base,
            SharedSettings settings,
            FenceGuard fences,
            Duration sessionTtl) {
        this.environment = environment;
        this.api = api;
        this.name = Names.record(base);
        this.settings = settings;
        this.fences = fences;
        this.memory = new ClusterMemory(fences);
        this.sessionTtl = sessionTtl;
    }

    /** Restores what an earlier process has seen. Must be called before the first check. */
    synchronized void remember(FenceMemory.Remembered remembered) {
        memory.inherit(remembered.cluster(), remembered.fence());
    }

    /** The identity of the cluster and the highest fence; empty while the identity is unknown. */
    synchronized Optional<FenceMemory.Remembered> remembered() {
        return Optional.ofNullable(memory.cluster())
                .map(known -> new FenceMemory.Remembered(known, fences.highestFence()));
    }

    /**
     * The reason why this gateway must not run with the record; empty if there is no such reason,
     * or if Consul has not answered yet.
     */
    Optional<String> conflict() {
        return Optional.ofNullable(conflict);
    }

    /**
     * Checks the record.
     *
     * @throws ConsulException if this gateway must not make a session now
     */
    @Override
    public synchronized void run() {
        awaitOthers(check(true));
    }

    /**
     * Requires a record that agrees with this gateway.
     *
     * @param own whether to check the record against all fences that this gateway has seen; see
     *     {@link ClusterMemory#agrees}
     */
    private synchronized ClusterRecord check(boolean own) {
        for (int i = 0; i < MAX_ATTEMPTS; i++) {
            KvEntry entry = read();
            ClusterRecord record = agreed(entry, own);
            if (record != null) {
                resolved();
                return record;
            }
        }
        throw new ConsulException(FailureKind.UNAVAILABLE, Effect.NOT_DONE, name + " changes all the time");
    }

    /** Returns the record if it agrees; null if it must be read again. */
    @GuardedBy("this")
    private @Nullable ClusterRecord agreed(@Nullable KvEntry entry, boolean own) {
        seen = entry;
        if (entry == null) {
            long unused = replace(null, memory.newRecord(settings, environment.random()));
            return null;
        }
        ClusterRecord record = ClusterRecord.parse(entry.value());
        if (record == null) {
            throw disagreeing(List.of("it is not a record of format " + ClusterRecord.FORMAT));
        }
        List<String> differences = differences(settings, record.settings());
        if (!differences.isEmpty()) {
            throw disagreeing(differences);
        }
        return isOfThisCluster(entry, record, own) ? record : null;
    }

    @GuardedBy("this")
    private boolean isOfThisCluster(KvEntry entry, ClusterRecord record, boolean own) {
        try {
            return memory.agrees(entry, record, own, this::replace);
        } catch (LostDataException e) {
            throw refused(String.valueOf(e.getMessage()));
        }
    }

    private ConsulException disagreeing(List<String> differences) {
        return refused("this gateway does not agree with the record of its cluster, " + name + ": "
                + String.join("; ", differences)
                + ". Give all gateways the same settings. To change them, stop all gateways, and delete the record");
    }

    @GuardedBy("this")
    private void awaitOthers(ClusterRecord record) {
        if (memory.untilGrants(record, environment.now(), sessionTtl.toNanos()) > 0) {
            throw new ConsulException(
                    FailureKind.UNAVAILABLE,
                    Effect.NOT_DONE,
                    "the record of the cluster has been recreated; for " + sessionTtl.toSeconds()
                            + " s this gateway waits until all others have read it");
        }
    }

    private void resolved() {
        if (conflict != null) {
            conflict = null;
            LOG.info("the record of the cluster agrees with this gateway again");
        }
    }

    private ConsulException refused(String message) {
        if (conflict == null) {
            LOG.error(message);
        }
        conflict = message;
        return new ConsulException(FailureKind.INVALID, Effect.NOT_DONE, message);
    }

    /**
     * Checks the record again.
     *
     * @param indexesFell whether Consul may have lost data
     * @return whether this gateway may keep its sessions
     * @throws ConsulException if Consul does not answer
     */
    private boolean recheck(boolean indexesFell) {
        try {
            noteRecreated(check(indexesFell));
            return true;
        } catch (ConsulException e) {
            if (conflict == null) {
                throw e;
            }
            return false;
        }
    }

    /** Starts the wait for the others, so that it has passed when this gateway needs a session. */
    private synchronized void noteRecreated(ClusterRecord record) {
        long unused = memory.untilGrants(record, environment.now(), sessionTtl.toNanos());
    }

    /**
     * Whether a read of everything below the base shows a record other than that of the last check.
     */
    private synchronized boolean isChangedIn(KvList read) {
        KvEntry entry = entryIn(read);
        KvEntry last = seen;
        return entry == null
                || last == null
                || entry.modifyIndex() != last.modifyIndex()
                || !Arrays.equals(entry.value(), last.value());
    }

    /** Reads the entry of the record; null when there is none. */
    private @Nullable KvEntry read() {
        return entryIn(api.list(name, Consistency.CONSISTENT));
    }

    private @Nullable KvEntry entryIn(KvList read) {
        return read.entries().stream()
                .filter(each -> each.key().equals(name))
                .findFirst()
                .orElse(null);
    }

    /**
     * Writes the record if its entry has not changed. Returns the index of the write, or 0 when the
     * entry has changed.
     *
     * @param before the entry as it was read; null when there was none
     * @throws ConsulException when the result is not known
     */
    private long replace(@Nullable KvEntry before, ClusterRecord record) {
        long index = before == null ? 0 : before.modifyIndex();
        TxnOutcome.Committed committed = api.txn(List.of(new KvOp.Cas(name, Flags.NONE, record.toBytes(), index)))
                .committed();
        return committed == null ? 0 : committed.results().getFirst().modifyIndex();
    }

    /** The settings that differ, each with both values; empty when none do. */
    private static List<String> differences(SharedSettings mine, SharedSettings recorded) {
        List<String> differences = new ArrayList<>();
        if (mine.fenceBase() != recorded.fenceBase()) {
            differences.add(
                    "--consul-fence-base is " + mine.fenceBase() + " here and " + recorded.fenceBase() + " there");
        }
        if (!mine.holders().equals(recorded.holders())) {
            differences.add("--consul-holders is " + mine.holders() + " here and " + recorded.holders() + " there");
        }
        if (!mine.map().equals(recorded.map())) {
            differences.add("--consul-map has the hash " + mine.map() + " here and " + recorded.map() + " there");
        }
        return differences;
    }

    /**
     * The listener of the watch of all keys.
     *
     * @param giveUp gives up all sessions of this gateway, when the record no longer agrees
     */
    PrefixWatch.Listener watch(Runnable giveUp) {
        return new Watch(giveUp);
    }

    /**
     * Checks the record again when the watch of all keys shows that the record has changed, or that
     * Consul may have lost data: the watch's indexes have restarted, or a read is older than the
     * state that this gateway had already seen. For the watch's thread only.
     */
    private final class Watch implements PrefixWatch.Listener {
        private final Runnable giveUp;

        /** Whether the watch has delivered a read before. */
        private boolean watched;

        /**
         * The highest index below the base that this gateway had seen when the watch sent its
         * request.
         */
        private long seenBefore;

        Watch(Runnable giveUp) {
            this.giveUp = giveUp;
        }

        @Override
        public void asking() {
            seenBefore = fences.highestBelowBase();
        }

        /**
         * Receives a read of everything below the base.
         *
         * @throws ConsulException when Consul does not answer; the watch then reads again
         */
        @Override
        public void found(KvList list, boolean restarted) {
            boolean indexesFell = watched && (restarted || isOlder(list.index()));
            watched = true;
            if (indexesFell || isChangedIn(list)) {
                check(indexesFell);
            }
            // After the check, so that grants of other gateways count for the next one.
            fences.seenBelowBase(list);
        }

        @Override
        public void unchanged(long index) {
            if (isOlder(index)) {
                check(true);
            }
        }

        private void check(boolean indexesFell) {
            if (!recheck(indexesFell)) {
                giveUp.run();
            }
        }

        /** Whether a read shows an older state than this gateway had seen before the request. */
        private boolean isOlder(long index) {
            return Long.compareUnsigned(index, seenBefore) < 0;
        }
    }
}
