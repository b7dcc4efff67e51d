package io.flockgate.cluster.campaign;

/** A violation of a rule, as a history shows it. */
record Fault(Rule rule, String text) {
    enum Rule {
        /** Never more certain holders of a key than its limit. */
        LIMIT,
        /**
         * No two grants of a key have the same fence, and a grant that is certainly later has the
         * higher one.
         */
        FENCE,
        /** A claim that was answered {@code queued} before another was made is granted first. */
        ORDER,
        /** No key with waiters stays free for long. */
        GAP,
        /** Without a reason, no grant is taken away before its lease ends. */
        TAKEN,
        /** No grant is renewed after its lease has ended. */
        LEASE,
        /** No session is given up without a reason. */
        LOSS,
        /**
         * Every request is answered in time. Without a reason, no answer is an error and no
         * connection ends.
         */
        ANSWER,
        /** After all faults every key can be acquired in full. */
        LIVENESS,
        /** The history contains at least one grant. */
        SOMETHING
    }

    @Override
    public String toString() {
        return rule + ": " + text;
    }
}
