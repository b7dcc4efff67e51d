package io.flockgate.storage.memory;

import java.util.concurrent.atomic.AtomicLong;

/** A counter of the keys of all shards, with a maximum that no race exceeds. */
final class Capacity {
    private final long max;
    private final AtomicLong used = new AtomicLong();

    Capacity(long max) {
        this.max = max;
    }

    /** Counts one more key; false when the maximum is reached. */
    boolean take() {
        long now = used.get();
        while (now < max) {
            if (used.compareAndSet(now, now + 1)) {
                return true;
            }
            now = used.get();
        }
        return false;
    }

    void giveBack() {
        used.decrementAndGet();
    }
}
