package io.flockgate.storage;

/** The reason why a grant ended. */
public enum Ending {
    /** A client released it by its token. */
    RELEASED,
    /** Its lease has expired. */
    EXPIRED,
    /** The storage lost it or gave it up: an operator deleted it, or it is no longer certain. */
    LOST
}
