package io.flockgate.gateway.http;

/** Bytes of a request's head that have come and not yet made it whole: beyond a few, they are drawn from what all share. */
final class HeadMeter {
    private final Budget budget;
    private int bytes;
    private int drawn;

    HeadMeter(Budget budget) {
        this.budget = budget;
    }

    /** More has come; false when there is no memory for it. */
    boolean add(int count) {
        bytes += count;
        int more = bytes - HttpLimits.FREE_HEAD_BYTES - drawn;
        if (more > 0) {
            if (!budget.draw(more)) {
                return false;
            }
            drawn += more;
        }
        return true;
    }

    /** The head has come whole, or will not. */
    void over() {
        budget.giveBack(drawn);
        drawn = 0;
        bytes = 0;
    }
}
