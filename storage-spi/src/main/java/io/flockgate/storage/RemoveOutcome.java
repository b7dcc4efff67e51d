package io.flockgate.storage;

/** The result of taking a waiter out of a queue. */
public enum RemoveOutcome {
    /** The waiter no longer has a place, and will not be granted. */
    REMOVED,
    /**
     * No such waiter is in the queue of this key: it was granted, has left, or never existed.
     * Nothing has changed.
     */
    NOT_QUEUED
}
