package io.flockgate.storage.consul.key;

/**
 * The time at which the waiters of one key need work even if nothing changes. For the key's own
 * thread only.
 */
final class Due {
    private long nanos = Long.MAX_VALUE;

    /** The nanoseconds until that time; {@code Long.MAX_VALUE} for never. */
    long nanos() {
        return nanos;
    }

    void clear() {
        nanos = Long.MAX_VALUE;
    }

    /** Reduces {@link #nanos} to at most this value. */
    void in(long left) {
        nanos = Math.min(nanos, left);
    }
}
