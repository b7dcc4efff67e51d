package io.flockgate.storage.memory;

import io.flockgate.storage.Capacity;
import io.flockgate.storage.rules.ClaimLimits;

/**
 * A shard's part of the cap on the holders of all semaphores. It takes room from the common {@link
 * Capacity} in batches, so that most grants and releases touch no memory shared between shards. The
 * spare room of all shards together is less than 1 % of the cap. Guarded by its shard.
 *
 * <p>A slot that passes from a holder to a waiter within one call changes nothing. A waiter that
 * could not be granted in the call that freed its slot is counted even beyond the cap, which
 * applies to claims only.
 */
final class HolderAllowance implements ClaimLimits {
    private static final long MAX_BATCH = 64;
    private static final int SHARE = 4096;

    private final Capacity common;
    private final long maxWaiters;
    private final long batch;

    /** The room taken from the common capacity but not used by holders. */
    private long spare;

    /** The change of the number of holders since the last {@link #settle}. */
    private long change;

    /**
     * @param maxWaiters the other cap that claims must respect
     */
    HolderAllowance(Capacity common, long maxWaiters) {
        this.common = common;
        this.maxWaiters = maxWaiters;
        this.batch = Math.clamp(common.max() / SHARE, 1, MAX_BATCH);
    }

    /**
     * Whether one more holder may be added. {@link #settle} must be called afterwards, whether it
     * is added or not.
     */
    @Override
    public boolean hasRoomForHolder() {
        if (spare <= change) {
            spare += common.takeUpTo(batch);
        }
        return spare > change;
    }

    @Override
    public long maxWaiters() {
        return maxWaiters;
    }

    void added() {
        change++;
    }

    void removed() {
        change--;
    }

    /** Counts what was added and removed since the last call. */
    void settle() {
        spare -= change;
        change = 0;
        if (spare < 0) {
            common.forceTake(-spare);
            spare = 0;
        } else if (spare >= batch) {
            long kept = batch / 2;
            common.giveBack(spare - kept);
            spare = kept;
        }
    }
}
