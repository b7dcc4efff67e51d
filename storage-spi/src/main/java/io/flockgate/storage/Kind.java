package io.flockgate.storage;

/** What a key is while it lives. A key is one or the other; a claim of the other kind is refused. */
public enum Kind {
    /** One holder at a time. */
    LOCK,
    /** As many holders at a time as its limit says, the limit being set by the claim that made the key. */
    SEMAPHORE
}
