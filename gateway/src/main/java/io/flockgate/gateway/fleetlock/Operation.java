package io.flockgate.gateway.fleetlock;

import java.util.Locale;

/** What FleetLock can be asked for. */
public enum Operation {
    /** Recursive lock: a slot for rebooting. */
    PRE_REBOOT("/v1/pre-reboot"),
    /** Unlock if held. */
    STEADY_STATE("/v1/steady-state");

    private final String path;

    Operation(String path) {
        this.path = path;
    }

    /** Below the root or a prefix. */
    public String path() {
        return path;
    }

    /** As a label of metrics. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
