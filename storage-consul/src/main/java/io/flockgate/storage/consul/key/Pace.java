package io.flockgate.storage.consul.key;

import java.util.concurrent.TimeUnit;

/**
 * Measures how quickly a key changes hands, as far as this gateway sees it. For one writing thread;
 * any thread may read.
 */
final class Pace {
    private static final int CHANGES = 8;
    private static final long QUICK_NANOS = TimeUnit.MILLISECONDS.toNanos(800);

    /** The times of the last changes, in a ring. */
    private final long[] times = new long[CHANGES];

    private long count;

    /**
     * The time of the oldest change in the ring. Meaningless until there have been enough changes.
     */
    private volatile long oldest;

    private volatile boolean full;
    private volatile boolean lock;

    /**
     * Records that the key has changed hands.
     *
     * @param isLock whether the key is a lock rather than a semaphore
     */
    void changed(long now, boolean isLock) {
        lock = isLock;
        times[(int) (count++ % CHANGES)] = now;
        oldest = times[(int) (count % CHANGES)];
        full = count >= CHANGES;
    }

    /** Whether the key is a lock that has recently changed hands ten times a second. */
    boolean isQuickLock(long now) {
        return lock && full && now - oldest < QUICK_NANOS;
    }
}
