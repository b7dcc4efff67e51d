package io.flockgate.storage;

/** Why a grant is no more. */
public enum Ending {
    /** Released by token, from anywhere. */
    RELEASED,
    /** Its lease has run out. */
    EXPIRED,
    /** The storage gave it up or found it gone: struck by an operator, or no longer safe to believe in. */
    LOST
}
