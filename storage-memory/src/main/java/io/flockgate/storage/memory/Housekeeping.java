package io.flockgate.storage.memory;

import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * The background work of the storage, in small batches: ends leases, grants slots for which no
 * fence could be issued before, and forgets idle keys.
 */
final class Housekeeping implements LeaseExpirer.Work {
    private final Shard[] shards;
    private final LongSupplier clock;
    private final long gcIntervalNanos;
    private final long gcMaxIdleNanos;
    private final Runnable others;
    private long nextGc;

    /**
     * @param others short work to do before everything else
     */
    Housekeeping(Shard[] shards, LongSupplier clock, long gcIntervalNanos, long gcMaxIdleNanos, Runnable others) {
        this.shards = shards;
        this.clock = clock;
        this.gcIntervalNanos = gcIntervalNanos;
        this.gcMaxIdleNanos = gcMaxIdleNanos;
        this.others = others;
        this.nextGc = clock.getAsLong() + gcIntervalNanos;
    }

    @Override
    public void run() {
        others.run();
        for (Shard shard : shards) {
            while (shard.endDueLeases()) {
                yieldMonitor();
            }
            shard.retryStalled();
        }
        long now = clock.getAsLong();
        if (now - nextGc >= 0) {
            nextGc = now + gcIntervalNanos;
            for (Shard shard : shards) {
                while (shard.forgetIdle(gcMaxIdleNanos)) {
                    yieldMonitor();
                }
            }
        }
    }

    /**
     * Monitors are not fair: without a pause, this thread could reacquire one repeatedly while
     * others wait for it.
     */
    private static void yieldMonitor() {
        LockSupport.parkNanos(1);
    }

    @Override
    public long nanosToNextEnd(long max) {
        long nearest = Math.min(max, nextGc - clock.getAsLong());
        for (Shard shard : shards) {
            nearest = Math.min(nearest, shard.nanosToNextEnd(nearest));
        }
        return nearest;
    }
}
