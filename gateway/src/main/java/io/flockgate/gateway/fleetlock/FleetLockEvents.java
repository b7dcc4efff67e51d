package io.flockgate.gateway.fleetlock;

/** A listener for FleetLock's answers and operators' orders, for metrics. Called on any thread. */
public interface FleetLockEvents {
    /**
     * Replaces the name of a group that is not configured, because clients must not create labels.
     */
    String UNKNOWN_GROUP = "(unknown)";

    /**
     * A request has been answered.
     *
     * @param group a configured group, or {@link #UNKNOWN_GROUP}
     */
    void answered(String group, String operation, String outcome);

    /** An operator has taken back a slot. */
    void forced();
}
