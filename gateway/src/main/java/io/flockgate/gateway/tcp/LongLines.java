package io.flockgate.gateway.tcp;

/**
 * Bounds the bytes of unfinished long lines that the connections of one event loop keep. Only {@code auth} has such lines. Without
 * this bound, many connections with half a line each would fill the memory. On that event loop only.
 */
final class LongLines {
    /** Shorter ones are not counted. */
    static final int MIN_BYTES = 4096;

    static final int MAX_BYTES_IN_ALL = 16 << 20;

    private long total;

    /** Counts what a connection keeps now in place of what it kept before. False when there is no room for more. */
    boolean replace(int before, int now) {
        total += now - before;
        return now <= before || total <= MAX_BYTES_IN_ALL;
    }
}
