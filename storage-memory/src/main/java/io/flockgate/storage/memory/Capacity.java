package io.flockgate.storage.memory;

import java.util.concurrent.atomic.AtomicLong;

/** A count over all shards, with a maximum that {@link #take} never exceeds, whatever the races. */
final class Capacity {
    private final long max;
    private final AtomicLong used = new AtomicLong();

    Capacity(long max) {
        this.max = max;
    }

    long max() {
        return max;
    }

    /** Counts one more; false when the maximum is reached. */
    boolean take() {
        return takeUpTo(1) == 1;
    }

    /** Counts so many more, or as many as there is room for. Returns their number. */
    long takeUpTo(long wanted) {
        long now = used.get();
        while (now < max) {
            long taken = Math.min(wanted, max - now);
            if (used.compareAndSet(now, now + taken)) {
                return taken;
            }
            now = used.get();
        }
        return 0;
    }

    /** Counts so many more even beyond the maximum. */
    void takeInAnyCase(long count) {
        used.addAndGet(count);
    }

    void giveBack(long count) {
        used.addAndGet(-count);
    }

    long used() {
        return used.get();
    }
}
