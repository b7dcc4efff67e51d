package io.flockgate.storage.tck;

import java.time.Duration;

/**
 * The settings of a storage that its behaviour depends on; the rest is the harness's to choose.
 *
 * @param maxLocks the most keys that may exist at a time
 * @param maxWaiters the longest queue of a key; 0 for no bound
 * @param gcMaxIdle a key idle for longer than this is forgotten; the harness has the storage look for such keys
 *     at least twice a second
 */
public record Limits(long maxLocks, long maxWaiters, Duration gcMaxIdle) {
    /** More than any case uses up. */
    public static final Limits AMPLE = new Limits(1_000_000, 0, Duration.ofHours(1));

    public Limits withMaxLocks(long most) {
        return new Limits(most, maxWaiters, gcMaxIdle);
    }

    public Limits withMaxWaiters(long most) {
        return new Limits(maxLocks, most, gcMaxIdle);
    }

    public Limits withGcMaxIdle(Duration idle) {
        return new Limits(maxLocks, maxWaiters, idle);
    }
}
