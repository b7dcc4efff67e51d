package io.flockgate.storage.consul.key;

/**
 * The time at which the waiters of one key need work although nothing changes. For the key's own
 * thread only.
 */
final class Due {
    private long nanos = Long.MAX_VALUE;

    /** The nanoseconds until then; {@code Long.MAX_VALUE} for never. */
    long nanos() {
        return nanos;
    }

    void clear() {
        nanos = Long.MAX_VALUE;
    }

    /** Makes {@link #nanos} this early at least. */
    void in(long left) {
        nanos = Math.min(nanos, left);
    }
}
