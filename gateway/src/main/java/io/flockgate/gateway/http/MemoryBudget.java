package io.flockgate.gateway.http;

/** Memory that all connections of an event loop have in common for what is large. On that event loop only. */
final class MemoryBudget {
    private static final int MOST_BYTES = 64 * 1024 * 1024;
    private int used;

    /** Takes more; false, and nothing taken, when there is not enough. */
    boolean draw(int bytes) {
        if (used + bytes > MOST_BYTES) {
            return false;
        }
        used += bytes;
        return true;
    }

    void giveBack(int bytes) {
        used -= bytes;
    }
}
