package io.flockgate.gateway.tcp;

/**
 * Bounds the bytes of replies that the clients of one event loop have not taken. They are outside the heap, and each read of a client may be
 * answered by five times its bytes. On that event loop only.
 */
final class UnsentReplies {
    private static final int MAX_BYTES = 64 << 20;
    private static final int MIN_BYTES = 2 << 20;
    private static final int SHARE_OF_HEAP = 8;

    private final long max;
    private long total;

    /** An eighth of the heap for all event loops, because Java allows as many bytes outside the heap as in it. */
    UnsentReplies(long heapBytes, int eventLoops) {
        this.max = Math.clamp(heapBytes / SHARE_OF_HEAP / eventLoops, MIN_BYTES, MAX_BYTES);
    }

    /** Takes room for bytes. False, and nothing is taken, if there is not enough. */
    boolean take(int bytes) {
        if (total + bytes > max) {
            return false;
        }
        total += bytes;
        return true;
    }

    void giveBack(int bytes) {
        total -= bytes;
    }
}
