package io.flockgate.gateway.tcp;

import io.flockgate.gateway.net.KeptBytes;

/**
 * Counts the bytes that one connection has received but not handled: unfinished long lines, which
 * only {@code auth} has, and what its client sends ahead of an answer. On one event loop.
 */
final class UnreadBytes {
    /** Maximum number of bytes of all connections of an event loop. */
    static final int MAX_BYTES_IN_ALL = 16 << 20;

    /** Less memory is not counted. The current frame usually takes less. */
    private static final int MIN_BYTES = 1024;

    private final KeptBytes all;
    private final LineDecoder decoder;
    private int counted;

    UnreadBytes(KeptBytes all, LineDecoder decoder) {
        this.all = all;
        this.decoder = decoder;
    }

    /** Counts again. Returns whether there is room for the bytes. */
    boolean hasRoom() {
        int before = counted;
        counted = decoder.kept() < MIN_BYTES ? 0 : decoder.kept();
        return all.replace(before, counted);
    }

    /** Drops the bytes, because the connection has ended. */
    void clear() {
        decoder.clear();
        boolean unused = all.replace(counted, 0);
        counted = 0;
    }
}
