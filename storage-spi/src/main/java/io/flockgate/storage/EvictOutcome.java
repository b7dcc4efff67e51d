package io.flockgate.storage;

/** The result of taking a slot back by its fence. */
public enum EvictOutcome {
    /** The grant has ended, and the slot was free for the next waiter. */
    EVICTED,
    /** The key is not held. Nothing has changed. */
    NOT_HELD,
    /** The key is held, but not by a grant with this fence. Nothing has changed. */
    FENCE_MISMATCH,
    /**
     * Other software than Flockgate holds the slot, and the call does not force it. Nothing has
     * changed.
     */
    FOREIGN
}
