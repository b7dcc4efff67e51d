package io.flockgate.gateway.lifecycle;

import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Detects endless garbage collection: the heap is nearly full, and for some seconds nearly all time
 * goes into collections. A pause of the whole process alone does not count: it makes one collection
 * long, but does not fill the heap.
 */
final class MemoryCheck {
    static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(5);
    static final int MIN_COLLECTIONS = 3;

    private static final int FULL_PERCENT = 85;
    private static final int BUSY_PERCENT = 75;

    private @Nullable Collections atBegin;
    private long begin;

    /** All collections since the process started. */
    record Collections(long count, long millis) {}

    /**
     * Whether collections have taken nearly all time.
     *
     * @param used bytes of the heap
     * @param collections read only while the heap is nearly full
     */
    boolean isHopeless(long now, long used, long max, Supplier<Collections> collections) {
        if (!isNearlyFull(used, max)) {
            atBegin = null;
            return false;
        }
        Collections before = atBegin;
        if (before != null && now - begin < WINDOW_NANOS) {
            return false;
        }
        Collections after = collections.get();
        boolean hopeless = before != null
                && after.count() - before.count() >= MIN_COLLECTIONS
                && (after.millis() - before.millis()) * 100
                        >= TimeUnit.NANOSECONDS.toMillis(now - begin) * BUSY_PERCENT;
        atBegin = after;
        begin = now;
        return hopeless;
    }

    /**
     * @param used bytes of the heap, including garbage
     */
    static boolean isNearlyFull(long used, long max) {
        return used >= max / 100 * FULL_PERCENT;
    }
}
