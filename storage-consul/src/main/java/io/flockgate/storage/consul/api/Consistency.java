package io.flockgate.storage.consul.api;

/** The consistency of a read. */
public enum Consistency {
    /** What the leader has in memory: enough where a conditional write follows. */
    DEFAULT,
    /** Confirmed by a majority: for what nothing backs up afterwards. */
    CONSISTENT
}
