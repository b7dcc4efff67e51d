package io.flockgate.storage;

/** The result of a renewal. */
public enum RenewOutcome {
    /** The lease was restarted, for exactly the seconds of the call. */
    RENEWED,
    /** The key is not held by this token. Nothing has changed. */
    NOT_HELD,
    /** The lease of this token's grant had expired. The grant has now ended. */
    LEASE_EXPIRED
}
