package io.flockgate.storage;

/** The result of an order to change the limit of a semaphore. */
public enum LimitOutcome {
    /** The semaphore has this limit now. */
    CHANGED,
    /** The key does not exist. */
    NO_KEY,
    /** The key is a lock, or in use by other software for another purpose. Nothing has changed. */
    NO_SEMAPHORE
}
