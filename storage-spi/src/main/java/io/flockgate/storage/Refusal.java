package io.flockgate.storage;

/** Why a claim got neither a slot nor a place in the queue. None of these leaves anything behind for the claimant. */
public enum Refusal implements ClaimOutcome {
    /** No slot is free, and the claim did not want to queue. */
    BUSY,
    /** The key does not exist, and no more keys may. */
    MAX_LOCKS,
    /** No slot is free, and the key's queue is full. Also told to claims that do not want to queue. */
    MAX_WAITERS,
    /** The key lives with another limit. */
    LIMIT_MISMATCH,
    /** The key lives as the other kind. */
    KIND_MISMATCH
}
