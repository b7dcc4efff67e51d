package io.flockgate.consul.rules;

import io.flockgate.consul.format.ClusterRecord;
import io.flockgate.consul.format.SharedSettings;
import io.flockgate.consul.kv.ConsulException;
import io.flockgate.consul.kv.KvEntry;
import java.util.HexFormat;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the cluster of one gateway or client, and recognises by the record that Consul has lost
 * its data. The caller reads and writes the record, and has the clock. Not thread safe.
 *
 * <ol>
 *   <li>A record of another identity is of a Consul that has lost its data, or of another Consul.
 *   <li>A record whose index is not above the fences seen may be old. So it is written again. The
 *       index of that write is Consul's index. If that index is not above the fences either, Consul
 *       has lost data.
 *   <li>The record then shows a fence above its own index. By that the other members know it too.
 *   <li>A record that was made again may be of a Consul that has lost its data, and its maker may
 *       not have seen the highest fence. So no member grants anything with it for a while. In this
 *       time members that have seen higher fences leave theirs in the record.
 * </ol>
 */
public final class ClusterMemory {
    private final FenceGuard fences;
    private @Nullable String cluster;

    /** Whether the identity comes from an earlier process, and no record has agreed since. */
    private boolean inherited;

    /** Whether Consul has lost data. Then this member has left its highest fence in the record. */
    private boolean lost;

    /** The making of the record with which this member has granted; null before the first one. */
    private @Nullable String made;

    /** The making of the record that this member waits for. */
    private @Nullable String awaited;

    private long awaitedSince;

    /** Nothing is remembered yet but these fences. */
    public ClusterMemory(FenceGuard fences) {
        this.fences = fences;
    }

    /** The way to write the record. */
    public interface Store {
        /**
         * Writes the record if its entry has not changed. Returns the index of the write, or 0 when
         * the entry has changed.
         *
         * @throws ConsulException when the result is not known
         */
        long replace(KvEntry before, ClusterRecord record);
    }

    /** Takes over what an earlier process has seen. */
    public void inherit(String identity, long fence) {
        cluster = identity;
        inherited = true;
        fences.requireAbove(fence);
    }

    /** The identity of the cluster; null while no record has agreed. */
    public @Nullable String cluster() {
        return cluster;
    }

    /** The record to make when there is none: again, or for the first time. */
    public ClusterRecord newRecord(SharedSettings settings, RandomGenerator random) {
        String known = cluster;
        return ClusterRecord.of(known == null ? hex(random) : known, hex(random), settings, fences.highestFence());
    }

    private static String hex(RandomGenerator random) {
        return HexFormat.of().toHexDigits(random.nextLong());
    }

    /** Takes a record for that of this member's cluster, whatever identity it has. */
    public void join(ClusterRecord record) {
        cluster = record.cluster();
        inherited = false;
    }

    /**
     * Whether Consul's data are those that this member knows. False when the record has to be read
     * again.
     *
     * @param own whether the record may be older than the fences that this member has seen. If not,
     *     only those count that the record tells of
     * @throws LostDataException when Consul has lost data, or is another one
     */
    public boolean agrees(KvEntry entry, ClusterRecord record, boolean own, Store store) {
        if (cluster == null) {
            join(record);
        }
        requireSameCluster(entry, record, store);
        boolean risen = hasRisen(entry, record, own, store);
        if (risen) {
            lost = false;
            inherited = false;
        }
        return risen;
    }

    private void requireSameCluster(KvEntry entry, ClusterRecord record, Store store) {
        if (record.cluster().equals(cluster)) {
            return;
        }
        if (!inherited) {
            // Not from a file: somebody may have given this member the address of a cluster that others use.
            leaveFloor(entry, record, store);
        }
        lost = true;
        throw new LostDataException("Consul has lost its data, or is another Consul: " + entry.key()
                + " has the identity " + record.cluster() + ", and here " + cluster + " is known"
                + ". If the agent has joined another cluster, let it join its own again. "
                + FenceGuard.remedy(fences.highestFence()));
    }

    private boolean hasRisen(KvEntry entry, ClusterRecord record, boolean own, Store store) {
        fences.requireAbove(record.fenceFloor());
        long floor = own || lost ? fences.highestFence() : record.fenceFloor();
        if (isAbove(entry.modifyIndex(), floor)) {
            return true;
        }
        if (own && !lost) {
            long index = store.replace(entry, record.checked(floor));
            if (index == 0 || isAbove(index, floor)) {
                return index != 0;
            }
        }
        leaveFloor(entry, record, store);
        lost = true;
        throw new LostDataException("Consul has lost data: its next fence is not above " + Long.toUnsignedString(floor)
                + ", which was given before. " + FenceGuard.remedy(floor));
    }

    private boolean isAbove(long index, long floor) {
        return Long.compareUnsigned(fences.fence(index), floor) > 0;
    }

    /** Leaves the highest fence in the record, for the members that have not seen it. */
    private void leaveFloor(KvEntry entry, ClusterRecord record, Store store) {
        long floor = fences.highestFence();
        if (!isAbove(entry.modifyIndex(), floor) && Long.compareUnsigned(record.fenceFloor(), floor) < 0) {
            long unused = store.replace(entry, record.checked(floor));
        }
    }

    /** Whether the record was made again since this member has last granted with it. */
    public boolean isMadeAgain(ClusterRecord record) {
        return made != null && !record.made().equals(made);
    }

    /**
     * The nanoseconds for which this member must not grant anything with this record. When they are
     * 0, it takes the record for the one that it grants with.
     *
     * @param patience the time within which other members leave their fences in a record that was
     *     made again
     */
    public long untilGrants(ClusterRecord record, long now, long patience) {
        long left = 0;
        if (isMadeAgain(record)) {
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
}
