package io.flockgate.storage;

/** The result of an eviction by fence. */
public enum EvictOutcome {
    /** The grant has ended, and its slot was freed for the next waiter. */
    EVICTED,
    /** The key is not held. Nothing has changed. */
    NOT_HELD,
    /** The key is held, but not by a grant with this fence. Nothing has changed. */
    FENCE_MISMATCH,
    /**
     * Software other than Flockgate holds the slot, and the call did not force its eviction.
     * Nothing has changed.
     */
    FOREIGN
}
