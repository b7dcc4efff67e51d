package io.flockgate.storage.memory;

import io.flockgate.storage.StorageLimits;
import io.flockgate.storage.rules.ClaimLimits;

/** The caps that the claims of one shard must respect. Guarded by the shard. */
record ShardLimits(StorageLimits limits, HolderAllowance holders) implements ClaimLimits {
    @Override
    public boolean hasRoomForHolder() {
        return holders.hasRoom();
    }

    @Override
    public long maxWaiters() {
        return limits.maxWaiters();
    }
}
