package io.flockgate.storage.consul;

import io.flockgate.consul.format.ClusterRecord;
import io.flockgate.consul.format.SharedSettings;
import io.flockgate.consul.kv.ConsulException;
import io.flockgate.consul.kv.ConsulException.Effect;
import io.flockgate.consul.kv.ConsulException.FailureKind;
import io.flockgate.consul.kv.KvEntry;
import io.flockgate.consul.kv.KvList;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.key.FenceGuard;
import io.flockgate.storage.consul.key.PrefixWatch;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds this gateway to the record of its cluster. A gateway that disagrees with the record has no session in Consul, so it
 * holds and grants nothing. Thread safe.
 *
 * <p>The settings:
 *
 * <ol>
 *   <li>Before the gateway makes its session, it reads the record. So it does again after it has lost its session.
 *   <li>If there is no record, the gateway makes it from its own settings, by check-and-set.
 *   <li>If the record differs from its settings, the gateway makes no session. At its start it ends.
 *   <li>A gateway with {@code --consul-adopt} replaces a record that differs, once, and only while no other member is alive. Then it
 *       waits for one session TTL. By then a gateway that has started meanwhile has read the new record, or has lost its session.
 *   <li>The watch of all keys shows each change of the record. If the record then differs, the gateway gives up all its sessions.
 * </ol>
 *
 * <p>A Consul that forgets:
 *
 * <ol>
 *   <li>The gateway remembers the identity of its cluster and the highest fence that it has seen. If the record has another
 *       identity, the gateway stops. If the record is missing, the gateway makes it again from its memory.
 *   <li>After it has lost its session, when the watch's indexes have started again, and when a read of the watch is older than what this
 *       gateway had seen before, the gateway compares the index of the
 *       record with all fences that it has seen. If the index is not above them, the gateway writes the record with its highest
 *       fence. The index of that write is Consul's index.
 *   <li>If that index is too low as well, Consul has forgotten, and the gateway stops. The record then shows a fence above its own
 *       index. By that the other gateways know it too.
 * </ol>
 */
final class RecordKeeper implements Runnable, PrefixWatch.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(RecordKeeper.class);
    private static final int MAX_ATTEMPTS = 10;

    private final Environment environment;
    private final RecordStore store;
    private final Members members;
    private final SharedSettings settings;
    private final FenceGuard fences;
    private final Duration sessionTtl;
    private final Runnable giveUp;
    private boolean adopt;

    /** Whether Consul has lost data. Then this gateway has left its highest fence in the record. */
    private boolean lost;

    /** Whether this gateway waits until all others have read the record. */
    private boolean awaitsOthers;

    private long awaitsSince;

    /** The record in the last read; null when there was none. */
    private @Nullable KvEntry seen;

    private @Nullable String cluster;

    /** Whether the identity comes from an earlier process, and no record has agreed since. */
    private boolean inherited;

    /** Whether the watch has shown a read before. Only for its thread. */
    private boolean watched;

    /** The highest index below the base that this gateway had seen when the watch asked. Only for its thread. */
    private long seenBefore;

    private volatile @Nullable String conflict;

    /**
     * @param adopt whether this gateway replaces a record that differs
     * @param giveUp gives up all sessions of this gateway
     */
    RecordKeeper(
            Environment environment,
            RecordStore store,
            Members members,
            SharedSettings settings,
            FenceGuard fences,
            boolean adopt,
            Duration sessionTtl,
            Runnable giveUp) {
        this.environment = environment;
        this.store = store;
        this.members = members;
        this.settings = settings;
        this.fences = fences;
        this.adopt = adopt;
        this.sessionTtl = sessionTtl;
        this.giveUp = giveUp;
    }

    /** Takes over what an earlier process has seen. Before the first check. */
    synchronized void remember(FenceMemory.Remembered remembered) {
        cluster = remembered.cluster();
        inherited = true;
        fences.requireAbove(remembered.fence());
    }

    /** The identity of the cluster and the highest fence; empty while no record has agreed. */
    synchronized Optional<FenceMemory.Remembered> remembered() {
        return Optional.ofNullable(cluster).map(known -> new FenceMemory.Remembered(known, fences.highestFence()));
    }

    /** The reason why this gateway must not run with the record; empty when there is none, or Consul has not answered yet. */
    Optional<String> conflict() {
        return Optional.ofNullable(conflict);
    }

    /**
     * Checks the record.
     *
     * @throws ConsulException when this gateway must not make a session now
     */
    @Override
    public synchronized void run() {
        check(true);
        awaitOthers();
    }

    /**
     * Requires a record that agrees.
     *
     * @param own whether the record may be older than the fences that this gateway has seen
     */
    private synchronized void check(boolean own) {
        for (int i = 0; i < MAX_ATTEMPTS; i++) {
            KvEntry entry = store.read();
            if (agrees(entry, own) && entry != null) {
                adopt = false;
                inherited = false;
                resolved();
                return;
            }
        }
        throw new ConsulException(FailureKind.UNAVAILABLE, Effect.NOT_DONE, store.name() + " changes all the time");
    }

    /** Whether the record agrees. False when it has to be read again. */
    private boolean agrees(@Nullable KvEntry entry, boolean own) {
        seen = entry;
        if (entry == null) {
            if (own && cluster != null) {
                // Session and record have gone together. If Consul has lost its data, others may have seen more than
                // this gateway.
                awaitOthersFromNow();
            }
            long unused = store.replace(null, ClusterRecord.of(identity(), settings, fences.highestFence()));
            return false;
        }
        ClusterRecord record = ClusterRecord.parse(entry.value());
        if (record == null) {
            ClusterRecord other = ClusterRecord.of(identity(), settings, 0);
            return replaced(entry, other.adopting(settings), unreadable());
        }
        List<String> differences = SettingsDifferences.of(settings, record.settings());
        if (!differences.isEmpty()) {
            return replaced(entry, record.adopting(settings), differences);
        }
        requireSameCluster(entry, record);
        return hasRisen(entry, record, own);
    }

    private void awaitOthersFromNow() {
        awaitsOthers = true;
        awaitsSince = environment.now();
    }

    private String identity() {
        String known = cluster;
        return known == null ? HexFormat.of().toHexDigits(environment.random().nextLong()) : known;
    }

    private static List<String> unreadable() {
        return List.of("it is no record of format " + ClusterRecord.FORMAT);
    }

    /** Adopts this gateway's settings. Always false, because the record has to be read again. */
    private boolean replaced(KvEntry entry, ClusterRecord wanted, List<String> differences) {
        if (!adopt) {
            throw refused(
                    "this gateway does not agree with the record of its cluster, " + store.name() + ": "
                            + String.join("; ", differences)
                            + ". Give all gateways the same settings. To change the record, start one gateway with --consul-adopt");
        }
        requireAlone();
        if (store.replace(entry, wanted) != 0) {
            awaitOthersFromNow();
            LOG.atWarn()
                    .addKeyValue("differences", String.join("; ", differences))
                    .log("this gateway has replaced the record of the cluster; gateways with other settings stop");
        }
        return false;
    }

    /** Members with other settings may still grant and renew what this gateway would grant, too. */
    private void requireAlone() {
        List<String> alive = members.alive();
        if (!alive.isEmpty()) {
            throw refused("--consul-adopt changes nothing while other members of the cluster are alive: "
                    + String.join("; ", alive)
                    + ". Stop all gateways and services first, or wait until their sessions have ended");
        }
    }

    private void requireSameCluster(KvEntry entry, ClusterRecord record) {
        String known = cluster;
        if (known == null || adopt) {
            cluster = record.cluster();
            inherited = false;
        } else if (!known.equals(record.cluster())) {
            if (!inherited) {
                // Not from a file: somebody may have given this gateway the address of a cluster that others use.
                leaveFloor(entry, record, fences.highestFence());
            }
            lost = true;
            throw refused("Consul has lost its data, or is another Consul: " + store.name() + " has the identity "
                    + record.cluster() + ", and this gateway knows " + known
                    + ". If the agent has joined another cluster, let it join its own again. "
                    + remedy(fences.highestFence()));
        }
    }

    /**
     * Whether Consul's index is above all fences seen. False when the record has to be read again.
     *
     * @param own whether the fences count that this gateway has seen. If not, those that the record tells of count
     */
    private boolean hasRisen(KvEntry entry, ClusterRecord record, boolean own) {
        fences.requireAbove(record.fenceFloor());
        long floor = own || lost ? fences.highestFence() : record.fenceFloor();
        if (isAbove(entry.modifyIndex(), floor)) {
            return true;
        }
        if (own && !lost) {
            // The record may be old. The index of a write is Consul's index.
            long index = store.replace(entry, record.checked(floor));
            if (index == 0 || isAbove(index, floor)) {
                return index != 0;
            }
        }
        leaveFloor(entry, record, fences.highestFence());
        lost = true;
        throw refused("Consul has lost data: its next fence is not above " + Long.toUnsignedString(floor)
                + ", which was given before. " + remedy(floor));
    }

    private boolean isAbove(long index, long floor) {
        return Long.compareUnsigned(fences.fence(index), floor) > 0;
    }

    /** Leaves the highest fence in the record, for the gateways that have not seen it. */
    private void leaveFloor(KvEntry entry, ClusterRecord record, long floor) {
        if (!isAbove(entry.modifyIndex(), floor) && Long.compareUnsigned(record.fenceFloor(), floor) < 0) {
            long unused = store.replace(entry, record.checked(floor));
        }
    }

    private static String remedy(long floor) {
        return "To go on with this Consul, start all gateways again with --consul-fence-base "
                + Long.toUnsignedString(floor) + " or more, and the first of them with --consul-adopt";
    }

    private void awaitOthers() {
        long left = awaitsOthers ? sessionTtl.toNanos() - (environment.now() - awaitsSince) : 0;
        if (left > 0) {
            throw new ConsulException(
                    FailureKind.UNAVAILABLE,
                    Effect.NOT_DONE,
                    "the record of the cluster has been replaced; for " + sessionTtl.toSeconds()
                            + " s this gateway waits until all others have read it");
        }
    }

    private void resolved() {
        lost = false;
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
     * Receives a read of everything below the base.
     *
     * @throws ConsulException when Consul does not answer; then the watch reads again
     */
    @Override
    public void found(KvList list, boolean restarted) {
        boolean indexesFell = watched && (restarted || isOlder(list.index()));
        watched = true;
        if (indexesFell || hasChanged(store.entryIn(list.entries()))) {
            checkWatched(indexesFell);
        }
        // After the check. Grants of other gateways count for the next one.
        fences.seenBelowBase(list);
    }

    @Override
    public void asking() {
        seenBefore = fences.highestBelowBase();
    }

    @Override
    public void unchanged(long index) {
        if (isOlder(index)) {
            checkWatched(true);
        }
    }

    /** Whether a read has an older state than this gateway had seen before it asked. */
    private boolean isOlder(long index) {
        return Long.compareUnsigned(index, seenBefore) < 0;
    }

    private void checkWatched(boolean own) {
        try {
            check(own);
        } catch (ConsulException e) {
            if (conflict == null) {
                throw e;
            }
            giveUp.run();
        }
    }

    private synchronized boolean hasChanged(@Nullable KvEntry entry) {
        KvEntry last = seen;
        return entry == null
                || last == null
                || entry.modifyIndex() != last.modifyIndex()
                || !Arrays.equals(entry.value(), last.value());
    }
}
