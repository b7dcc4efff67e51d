package io.flockgate.storage;

/** The kind of a key, fixed while the key lives. A claim of the other kind is refused. */
public enum Kind {
    /** One holder at a time. */
    LOCK,
    /** As many holders at a time as its limit. The claim that makes the key sets the limit. */
    SEMAPHORE
}
