package io.flockgate.storage;

/** The immediate result of a claim. */
public sealed interface ClaimOutcome {
    /** A slot was free and the queue empty: the claimant holds the slot. */
    record Held(Grant grant) implements ClaimOutcome {}

    /**
     * The claimant has a place in the queue. {@link Claimant#granted} is called when it gets a
     * slot.
     */
    record Queued(Ticket ticket) implements ClaimOutcome {}

    /**
     * One place in a key's queue: an opaque handle that only the storage that made it understands.
     */
    interface Ticket {
        Key key();
    }

    /**
     * The reason why a claim got neither a slot nor a place in the queue. A refused claim leaves
     * nothing behind.
     */
    enum Refusal implements ClaimOutcome {
        /** No slot is free, and the claim may not queue. */
        BUSY,
        /** The key does not exist, and the maximum number of keys is reached. */
        MAX_LOCKS,
        /** A slot is free, but the maximum number of holders of all semaphores is reached. */
        MAX_HOLDERS,
        /**
         * No slot is free, and the key's queue is full. Also the answer to claims that may not
         * queue.
         */
        MAX_WAITERS,
        /** The key exists with another limit. */
        LIMIT_MISMATCH,
        /** The key exists as the other kind. */
        KIND_MISMATCH
    }
}
