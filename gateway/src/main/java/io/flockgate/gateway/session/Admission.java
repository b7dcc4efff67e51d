package io.flockgate.gateway.session;

/**
 * Indicates whether the gateway accepts new claims, and new FleetLock machines. An operator may
 * drain it for maintenance. Everything else continues: waiting claims keep their places and are
 * granted, and holders renew and release. Thread safe.
 */
public final class Admission {
    private volatile boolean draining;

    /** Whether claims are refused. */
    public boolean isDraining() {
        return draining;
    }

    /** Refuses new claims, or accepts them again. */
    public void drain(boolean wanted) {
        draining = wanted;
    }
}
