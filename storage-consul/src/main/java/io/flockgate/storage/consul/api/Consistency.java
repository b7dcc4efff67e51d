package io.flockgate.storage.consul.api;

/** The consistency of a read. */
public enum Consistency {
    /** The state in the leader's memory. Enough before a conditional write. */
    DEFAULT,
    /** A state that a majority confirms, for decisions that no conditional write checks. */
    CONSISTENT
}
