package io.flockgate.gateway.net;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds the bytes that several connections keep together, because many of them would otherwise
 * fill the memory. Thread safe.
 */
public final class KeptBytes {
    private static final long MAX_BYTES = 64 << 20;
    private static final long MIN_BYTES = 2 << 20;
    private static final int SHARE_OF_HEAP = 8;

    private final AtomicLong used = new AtomicLong();
    private final long max;

    public KeptBytes(long max) {
        this.max = max;
    }

    /** An eighth of the heap, at most 64 MiB. */
    static KeptBytes ofHeap(long heapBytes) {
        return new KeptBytes(Math.clamp(heapBytes / SHARE_OF_HEAP, MIN_BYTES, MAX_BYTES));
    }

    /**
     * Counts what a connection keeps now in place of what it kept before. Returns false if there is
     * no room for more.
     */
    public boolean replace(int before, int now) {
        if (now == before) {
            return true;
        }
        long total = used.addAndGet((long) now - before);
        return now < before || total <= max;
    }
}
