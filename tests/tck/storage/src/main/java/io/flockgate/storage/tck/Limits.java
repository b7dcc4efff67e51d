package io.flockgate.storage.tck;

import io.flockgate.storage.StorageSettings.StorageLimits;
import java.time.Duration;

/**
 * The settings that change how a storage behaves. The harness chooses all others.
 *
 * @param caps on keys, holders and waiters
 * @param gcMaxIdle a key idle for longer than this is forgotten; the harness makes the storage
 *     search for such keys at least twice a second
 */
public record Limits(StorageLimits caps, Duration gcMaxIdle) {
    /** More than any case needs. */
    public static final Limits AMPLE = new Limits(new StorageLimits(1_000_000, 0, 0), Duration.ofHours(1));

    public Limits withMaxLocks(long max) {
        return with(new StorageLimits(max, caps.maxHolders(), caps.maxWaiters()));
    }

    public Limits withMaxHolders(long max) {
        return with(new StorageLimits(caps.maxLocks(), max, caps.maxWaiters()));
    }

    public Limits withMaxWaiters(long max) {
        return with(new StorageLimits(caps.maxLocks(), caps.maxHolders(), max));
    }

    private Limits with(StorageLimits changed) {
        return new Limits(changed, gcMaxIdle);
    }

    public Limits withGcMaxIdle(Duration idle) {
        return new Limits(caps, idle);
    }
}
