package io.flockgate.gateway.http;

/** Memory that the connections of an event loop share: what one of them draws, others cannot. On that event loop only. */
final class Budget {
    private final int most;
    private int used;

    /** @param most in bytes */
    Budget(int most) {
        this.most = most;
    }

    /** False, and nothing is drawn, when there is not so much left. */
    boolean draw(int bytes) {
        if (bytes > most - used) {
            return false;
        }
        used += bytes;
        return true;
    }

    /** Draws it in any case; false when it was not there. */
    boolean add(int bytes) {
        used += bytes;
        return used <= most;
    }

    void giveBack(int bytes) {
        used -= bytes;
    }
}
