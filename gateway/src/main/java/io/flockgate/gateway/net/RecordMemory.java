package io.flockgate.gateway.net;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds the memory of the records of TLS that have not come whole, of all connections together.
 * Thread safe.
 */
final class RecordMemory {
    private static final long MAX_BYTES = 64 << 20;
    private static final long MIN_BYTES = 2 << 20;
    private static final int SHARE_OF_HEAP = 8;

    private final AtomicLong used = new AtomicLong();
    private final long max;

    RecordMemory(long heapBytes) {
        this.max = Math.clamp(heapBytes / SHARE_OF_HEAP, MIN_BYTES, MAX_BYTES);
    }

    /**
     * Counts what a connection keeps now in place of what it kept before. False when there is no
     * room for more.
     */
    boolean replace(int before, int now) {
        long total = used.addAndGet((long) now - before);
        return now <= before || total <= max;
    }
}
