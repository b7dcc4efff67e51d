package io.flockgate.storage;

/**
 * The reason why a claim got neither a slot nor a place in the queue. A refused claim leaves
 * nothing behind.
 */
public enum Refusal implements ClaimOutcome {
    /** No slot is free, and the claim may not queue. */
    BUSY,
    /** The key does not exist, and the maximum number of keys is reached. */
    MAX_LOCKS,
    /** A slot is free, but the maximum number of holders of all semaphores is reached. */
    MAX_HOLDERS,
    /**
     * No slot is free, and the key's queue is full. Also the answer to claims that may not queue.
     */
    MAX_WAITERS,
    /** The key exists with another limit. */
    LIMIT_MISMATCH,
    /** The key exists as the other kind. */
    KIND_MISMATCH
}
