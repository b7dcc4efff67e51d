package io.flockgate.storage.memory;

import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/** What is done in the background, in bites: ending leases, granting what was starved of fences, forgetting idle keys. */
final class Housekeeping implements LeaseExpirer.Chores {
    private final Shard[] shards;
    private final LongSupplier clock;
    private final long gcIntervalNanos;
    private final long gcMaxIdleNanos;
    private long nextGc;

    Housekeeping(Shard[] shards, LongSupplier clock, long gcIntervalNanos, long gcMaxIdleNanos) {
        this.shards = shards;
        this.clock = clock;
        this.gcIntervalNanos = gcIntervalNanos;
        this.gcMaxIdleNanos = gcMaxIdleNanos;
        this.nextGc = clock.getAsLong() + gcIntervalNanos;
    }

    @Override
    public void run() {
        for (Shard shard : shards) {
            while (shard.endDueLeases()) {
                letOthersIn();
            }
            shard.feedStarved();
        }
        long now = clock.getAsLong();
        if (now - nextGc >= 0) {
            nextGc = now + gcIntervalNanos;
            for (Shard shard : shards) {
                while (shard.forgetIdle(gcMaxIdleNanos)) {
                    letOthersIn();
                }
            }
        }
    }

    /** Monitors are not fair: without a pause this thread could keep one from all others for as long as there is work. */
    private static void letOthersIn() {
        LockSupport.parkNanos(1);
    }

    @Override
    public long nanosToNextEnd(long most) {
        long nearest = Math.min(most, nextGc - clock.getAsLong());
        for (Shard shard : shards) {
            nearest = Math.min(nearest, shard.nanosToNextEnd(nearest));
        }
        return nearest;
    }
}
