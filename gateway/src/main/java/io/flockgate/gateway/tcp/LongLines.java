package io.flockgate.gateway.tcp;

/**
 * Bounds the unread bytes that the connections of one event loop keep: unfinished long lines, which
 * only {@code auth} has, and what clients send ahead of an answer. Without this bound, many such
 * connections would fill the memory. On that event loop only.
 */
final class LongLines {
    /** Shorter ones are not counted. */
    static final int MIN_BYTES = 4096;

    static final int MAX_BYTES_IN_ALL = 16 << 20;

    private long total;

    /**
     * Counts what a connection keeps now in place of what it kept before. False when there is no
     * room for more.
     */
    boolean replace(int before, int now) {
        total += now - before;
        return now <= before || total <= MAX_BYTES_IN_ALL;
    }
}
