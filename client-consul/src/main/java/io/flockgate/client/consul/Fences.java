package io.flockgate.client.consul;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Checks that fences rise. The index of a grant must be above every index that was seen before its transaction was sent. If it is not,
 * Consul has lost data, and no fence can be trusted. Thread safe.
 */
final class Fences {
    private final AtomicLong highest = new AtomicLong();
    private volatile boolean fellBack;

    /** The highest index seen. */
    long highest() {
        return highest.get();
    }

    /** Records the index of a grant. False if it is not above the highest index from before. */
    boolean rises(long index, long before) {
        boolean rises = Long.compareUnsigned(index, before) > 0;
        fellBack |= !rises;
        highest.accumulateAndGet(index, (one, other) -> Long.compareUnsigned(one, other) > 0 ? one : other);
        return rises;
    }

    /** Refuses to go on after fences have fallen. */
    void requireRising() {
        if (fellBack) {
            throw Errors.invalid("Consul has lost data: its index has gone back, so fences would fall");
        }
    }
}
