package io.flockgate.gateway.net;

/**
 * Counts the bytes of one connection's request heads that have been decoded but not answered,
 * including those of an unfinished head. Bytes beyond the free ones are drawn from a budget that
 * all connections share. On the connection's event loop only.
 */
final class WaitingHeads {
    /**
     * The bytes that a connection may have without drawing on the budget. Heads of honest clients
     * are smaller.
     */
    static final int FREE_BYTES = 2 * 1024;

    /** The budget is drawn in steps of this size. */
    private static final int STEP = 1024;

    private final HttpInput.Budget budget;
    private int bytes;
    private int unfinished;
    private int unanswered;
    private int drawn;

    WaitingHeads(HttpInput.Budget budget) {
        this.budget = budget;
    }

    /** Counts further bytes of a head. Returns whether there is room for them. */
    boolean add(int more) {
        bytes += more;
        unfinished += more;
        int lacking = bytes - FREE_BYTES - drawn;
        if (lacking <= 0) {
            return true;
        }
        int step = Math.max(lacking, STEP);
        if (!budget.draw(step)) {
            return false;
        }
        drawn += step;
        return true;
    }

    /** A head is complete. */
    void complete() {
        unanswered++;
        unfinished = 0;
    }

    /** The answer to a request has left. */
    void answered() {
        unanswered--;
        if (unanswered == 0) {
            bytes = unfinished;
            giveBack();
        }
    }

    /** Whether the next head must wait, as bytes, until a request is answered. */
    boolean isFull() {
        return unanswered > 0 && bytes > FREE_BYTES;
    }

    /** The connection has ended. */
    void clear() {
        bytes = 0;
        giveBack();
    }

    private void giveBack() {
        int needed = Math.max(0, bytes - FREE_BYTES);
        if (drawn > needed) {
            budget.giveBack(drawn - needed);
            drawn = needed;
        }
    }
}
