package io.flockgate.storage;

import java.util.concurrent.atomic.AtomicLong;

/** A count with a maximum that {@link #take} never exceeds, whatever the races. Thread safe. */
public final class Capacity {
    private final long max;
    private final AtomicLong used = new AtomicLong();

    /**
     * @param max 0 for no maximum, as in settings
     */
    public Capacity(long max) {
        this.max = maximum(max);
    }

    /** The maximum that a setting stands for, where 0 means no maximum. */
    public static long maximum(long setting) {
        return setting == 0 ? Long.MAX_VALUE : setting;
    }

    public long max() {
        return max;
    }

    /** Counts one more; returns false when the maximum is reached. */
    public boolean take() {
        return takeUpTo(1) == 1;
    }

    /**
     * Adds this number to the count, or as much of it as there is room for. Returns the number
     * added.
     */
    public long takeUpTo(long wanted) {
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

    /** Adds this number to the count, even beyond the maximum. */
    public void forceTake(long count) {
        used.addAndGet(count);
    }

    public void giveBack(long count) {
        used.addAndGet(-count);
    }

    public long used() {
        return used.get();
    }
}
