package io.flockgate.gateway.net;

/**
 * Counts the bytes of one connection's request heads that have been decoded and not answered, with
 * those of an unfinished head. A head beyond the free bytes counts under a budget of all
 * connections. On the connection's event loop only.
 */
final class WaitingHeads {
    /** What a connection may have without the budget. Heads of honest clients have less. */
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

    /** Counts bytes of a head that come now. Returns whether there is room for them. */
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
