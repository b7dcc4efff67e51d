package io.flockgate.storage;

/** The result of taking a waiter out of a queue. */
public enum RemoveOutcome {
    /** The waiter has no place any more. It will not be granted. */
    REMOVED,
    /**
     * No such waiter is in the queue of this key: it was granted, it has left, or it was never
     * there. Nothing has changed.
     */
    NOT_QUEUED
}
