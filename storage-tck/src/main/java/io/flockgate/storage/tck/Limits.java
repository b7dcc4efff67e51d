package io.flockgate.storage.tck;

import java.time.Duration;

/**
 * The settings that change how a storage behaves. The harness chooses all others.
 *
 * @param maxLocks the maximum number of keys at a time
 * @param maxWaiters the longest queue of a key; 0 for no bound
 * @param gcMaxIdle a key idle for longer than this is forgotten; the harness makes the storage search such keys
 *     at least twice a second
 */
public record Limits(long maxLocks, long maxWaiters, Duration gcMaxIdle) {
    /** More than any case needs. */
    public static final Limits AMPLE = new Limits(1_000_000, 0, Duration.ofHours(1));

    public Limits withMaxLocks(long max) {
        return new Limits(max, maxWaiters, gcMaxIdle);
    }

    public Limits withMaxWaiters(long max) {
        return new Limits(maxLocks, max, gcMaxIdle);
    }

    public Limits withGcMaxIdle(Duration idle) {
        return new Limits(maxLocks, maxWaiters, idle);
    }
}
