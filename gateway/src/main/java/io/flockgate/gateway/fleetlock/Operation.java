package io.flockgate.gateway.fleetlock;

import java.util.Locale;

/** The two operations of FleetLock. */
public enum Operation {
    /** The recursive lock: takes a slot for a reboot. */
    PRE_REBOOT("/v1/pre-reboot"),
    /** Unlock if held: releases the slot. */
    STEADY_STATE("/v1/steady-state");

    private final String path;

    Operation(String path) {
        this.path = path;
    }

    /** The path below the root or a prefix. */
    public String path() {
        return path;
    }

    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
