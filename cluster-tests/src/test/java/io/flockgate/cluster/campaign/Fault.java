package io.flockgate.cluster.campaign;

/** Something that a history shows and that must not be. */
record Fault(Rule rule, String text) {
    enum Rule {
        /** Never more certain holders of a key than its limit. */
        LIMIT,
        /**
         * No two grants of a key have one fence, and what is certainly granted later has the higher
         * one.
         */
        FENCE,
        /** Who was told to be queued before another asked is granted first. */
        ORDER,
        /** No key with waiters stands free for long. */
        GAP,
        /** Nothing is taken away before its lease ends without a reason. */
        TAKEN,
        /** Nothing is renewed whose lease has ended. */
        LEASE,
        /** No session is given up without a reason. */
        LOSS,
        /**
         * Every request is answered, in time, and not with an error without a reason; no connection
         * ends without one.
         */
        ANSWER,
        /** After all faults every key can be acquired in full. */
        LIVENESS,
        /** The history shows grants at all. */
        SOMETHING
    }

    @Override
    public String toString() {
        return rule + ": " + text;
    }
}
