package io.flockgate.storage.consul.api;

/** The consistency of a read. */
public enum Consistency {
    /** The state in the leader's memory, which is enough before a conditional write. */
    DEFAULT,
    /** A state confirmed by a majority, for decisions that no conditional write checks. */
    CONSISTENT
}
