package io.flockgate.gateway.fleetlock;

/** Hears what FleetLock does, for metrics. Called on any thread. */
public interface FleetLockEvents {
    /** What stands for the name of a group that is not configured: clients must not make up labels. */
    String UNKNOWN_GROUP = "(unknown)";

    /**
     * A request has been answered.
     *
     * @param group one of the configured ones, or {@link #UNKNOWN_GROUP}
     */
    void answered(String group, String operation, String outcome);

    /** An operator has taken a slot back. */
    void forced();
}
