package io.flockgate.gateway.session;

/**
 * Says whether the gateway takes new claims, and new machines of FleetLock. An operator may drain
 * it for maintenance. Everything else goes on: claims that wait keep their places and are granted,
 * holders renew and release. Thread safe.
 */
public final class Admission {
    private volatile boolean draining;

    /** Whether claims are refused. */
    public boolean isDraining() {
        return draining;
    }

    /** Refuses new claims, or takes them again. */
    public void drain(boolean wanted) {
        draining = wanted;
    }
}
