package io.flockgate.storage;

/** The kind of a key, fixed while the key exists. A claim of the other kind is refused. */
public enum Kind {
    /** One holder. */
    LOCK,
    /** As many concurrent holders as its limit, which the claim that creates the key sets. */
    SEMAPHORE
}
