package io.flockgate.storage;

/** What became of a renewal. */
public enum RenewOutcome {
    /** The lease runs anew, for exactly the seconds asked for. */
    RENEWED,
    /** Nobody holds this key by this token; nothing was touched. */
    NOT_HELD,
    /** The grant was found, but its lease had run out: it has ended now. */
    LEASE_EXPIRED
}
