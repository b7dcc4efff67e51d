package io.flockgate.storage.consul.rules;

import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.format.ClusterRecord;
import io.flockgate.storage.consul.format.ClusterRecord.SharedSettings;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.KvEntry;
import java.util.HexFormat;
import java.util.function.ToLongBiFunction;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The memory that one member of a cluster, a gateway, has of the cluster. It detects from the
 * cluster's record that Consul has lost its data. The caller reads and writes the record, and
 * supplies the time. Not thread safe.
 *
 * <ol>
 *   <li>A record with another identity belongs to a Consul that has lost its data, or to another
 *       Consul.
 *   <li>If the fence of the record's index is not above all fences seen, the record may merely be
 *       old. Therefore it is written again, which yields Consul's current index. If the fence of
 *       that index is not above them either, Consul has lost data.
 *   <li>That write adds the highest fence seen to the record. A record that contains a fence above
 *       its own fence reveals the loss to the other members.
 *   <li>A recreated record may belong to a Consul that has lost its data, and the member that
 *       recreated it may not have seen the highest fence. Therefore no member that knew the
 *       earlier record grants anything with it for a while, during which members that have seen
 *       higher fences add them to the record.
 * </ol>
 */
public final class ClusterMemory {
    private final FenceGuard fences;
    private @Nullable String cluster;

    /** Whether the identity comes from an earlier process and no record has confirmed it since. */
    private boolean inherited;

    /** Whether Consul has lost data; cleared once the record's index is above all fences seen. */
    private boolean lost;

    /**
     * The id ({@link ClusterRecord#made}) of the record with which this member may grant; null
     * before the first record, empty if an earlier process knew a record that no longer exists.
     */
    private @Nullable String made;

    /** The id of the recreated record with which this member does not grant yet. */
    private @Nullable String awaited;

    private long awaitedSince;

    /** Creates a memory that contains only these fences. */
    public ClusterMemory(FenceGuard fences) {
        this.fences = fences;
    }

    /** Restores the identity and the highest fence that an earlier process has seen. */
    public void inherit(String identity, long fence) {
        cluster = identity;
        inherited = true;
        fences.requireAbove(fence);
    }

    /** The identity of the cluster; null while it is unknown. */
    public @Nullable String cluster() {
        return cluster;
    }

    /**
     * The record to create if Consul has none, whether for the first time or again. If only an
     * earlier process knew the cluster, this member then waits as it does after any record that it
     * knew.
     */
    public ClusterRecord newRecord(SharedSettings settings, RandomGenerator random) {
        String known = cluster;
        if (known != null && made == null) {
            made = "";
        }
        return ClusterRecord.of(known == null ? hex(random) : known, hex(random), settings, fences.highestFence());
    }

    private static String hex(RandomGenerator random) {
        return HexFormat.of().toHexDigits(random.nextLong());
    }

    /**
     * Checks that Consul's data are those that this member knows. Returns false if the record has
     * changed meanwhile and must be read again.
     *
     * @param own whether to check the record against all fences that this member has seen, although
     *     the record may be older than they are. If false, only the fence in the record counts,
     *     unless Consul has lost data
     * @param store writes the record if its entry has not changed; returns the index of the write,
     *     or 0 if the entry has changed
     * @throws LostDataException if Consul has lost data, or is another Consul
     */
    public boolean agrees(
            KvEntry entry, ClusterRecord record, boolean own, ToLongBiFunction<KvEntry, ClusterRecord> store) {
        if (cluster == null) {
            cluster = record.cluster();
        }
        requireSameCluster(entry, record, store);
        boolean risen = hasRisen(entry, record, own, store);
        if (risen) {
            lost = false;
            inherited = false;
        }
        return risen;
    }

    private void requireSameCluster(
            KvEntry entry, ClusterRecord record, ToLongBiFunction<KvEntry, ClusterRecord> store) {
        if (record.cluster().equals(cluster)) {
            return;
        }
        if (!inherited) {
            // Not with an identity that only comes from a file, because the address may be that of
            // another cluster, which must not be changed.
            leaveFloor(entry, record, store);
        }
        lost = true;
        throw new LostDataException("Consul has lost its data, or is another Consul: " + entry.key()
                + " has the identity " + record.cluster() + ", and here " + cluster + " is known"
                + ". If the agent has joined another cluster, let it join its own again. "
                + FenceGuard.remedy(fences.highestFence()));
    }

    private boolean hasRisen(
            KvEntry entry, ClusterRecord record, boolean own, ToLongBiFunction<KvEntry, ClusterRecord> store) {
        fences.requireAbove(record.fenceFloor());
        long floor = own || lost ? fences.highestFence() : record.fenceFloor();
        if (isAbove(entry.modifyIndex(), floor)) {
            return true;
        }
        if (own && !lost) {
            long index = store.applyAsLong(entry, record.checked(floor));
            if (index == 0) {
                return false;
            }
            if (isAbove(index, floor)) {
                return true;
            }
        }
        leaveFloor(entry, record, store);
        lost = true;
        throw new LostDataException("Consul has lost data: its next fence is not above " + Long.toUnsignedString(floor)
                + ", which was issued before. " + FenceGuard.remedy(floor));
    }

    private boolean isAbove(long index, long floor) {
        return Long.compareUnsigned(fences.fence(index), floor) > 0;
    }

    /**
     * Adds the highest fence that this member has seen to the record, for the members that have not
     * seen it.
     */
    private void leaveFloor(KvEntry entry, ClusterRecord record, ToLongBiFunction<KvEntry, ClusterRecord> store) {
        long floor = fences.highestFence();
        if (!isAbove(entry.modifyIndex(), floor) && Long.compareUnsigned(record.fenceFloor(), floor) < 0) {
            long unused = store.applyAsLong(entry, record.checked(floor));
        }
    }

    /** Whether the record has been recreated since this member last granted with it. */
    public boolean isRecreated(ClusterRecord record) {
        return made != null && !record.made().equals(made);
    }

    /**
     * The nanoseconds for which this member must not yet grant anything with this record. A call
     * that returns 0 also makes it the record with which this member grants.
     *
     * @param patience the time within which other members add their fences to a recreated record
     */
    public long untilGrants(ClusterRecord record, long now, long patience) {
        long left = 0;
        if (isRecreated(record)) {
            if (!record.made().equals(awaited)) {
                awaited = record.made();
                awaitedSince = now;
            }
            left = Math.max(0, patience - (now - awaitedSince));
        }
        if (left == 0) {
            made = record.made();
            awaited = null;
        }
        return left;
    }

    /**
     * A refusal to continue with a Consul that has lost data or is another one, because later
     * fences would be below earlier ones.
     */
    public static final class LostDataException extends ConsulException {
        private static final long serialVersionUID = 1L;

        private LostDataException(String message) {
            super(FailureKind.INVALID, Effect.NOT_DONE, message);
        }
    }
}
