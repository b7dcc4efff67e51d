package io.flockgate.gateway.session;

import org.jspecify.annotations.Nullable;

/**
 * Indicates whether the gateway accepts new claims, and new FleetLock machines. An operator may
 * drain it for maintenance. Everything else continues: waiting claims keep their places and are
 * granted, and holders renew and release. Thread safe.
 */
public final class Admission {
    /** Null while claims are accepted. */
    private volatile @Nullable String reason;

    /** Whether claims are refused. */
    public boolean isDraining() {
        return reason != null;
    }

    /** Why claims are refused; empty if they are not, or no reason was given. */
    public String reason() {
        String given = reason;
        return given == null ? "" : given;
    }

    /**
     * Refuses new claims.
     *
     * @param why the operator's reason; empty without one
     */
    public void drain(String why) {
        reason = why;
    }

    /** Accepts new claims again. */
    public void undrain() {
        reason = null;
    }
}
