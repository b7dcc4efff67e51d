package io.flockgate.gateway.tcp;

/**
 * The bytes that one connection has received and not handled, as they count under {@link
 * LongLines}. On one event loop.
 */
final class UnreadBytes {
    private final LongLines all;
    private final LineDecoder decoder;
    private int counted;

    UnreadBytes(LongLines all, LineDecoder decoder) {
        this.all = all;
        this.decoder = decoder;
    }

    /** Counts anew. Returns whether there is room for the bytes. */
    boolean hasRoom() {
        int before = counted;
        counted = decoder.unread() < LongLines.MIN_BYTES ? 0 : decoder.unread();
        return all.replace(before, counted);
    }

    /** Drops the bytes, because the connection has ended. */
    void clear() {
        decoder.clear();
        boolean unused = all.replace(counted, 0);
        counted = 0;
    }
}
