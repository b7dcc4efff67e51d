package io.flockgate.storage;

/** The reason why a grant ended. */
public enum Ending {
    /** A client released it by its token. */
    RELEASED,
    /** Its lease has expired. */
    EXPIRED,
    /** An operator ended it ({@link KeyAdministration#evict}). */
    EVICTED,
    /** The storage lost it or gave it up: it was deleted there, or is no longer certain. */
    LOST
}
