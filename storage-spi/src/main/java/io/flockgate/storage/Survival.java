package io.flockgate.storage;

/** The grants that outlive the process of a storage, however that process ends. */
public enum Survival {
    /** All grants end with the process. */
    NONE,
    /** Grants of detached claimants last until they are released or their leases end. */
    DETACHED,
    /**
     * As {@link #DETACHED}, for every claimant with a memo. The next process recovers the clients
     * with their grants.
     */
    KEPT
}
