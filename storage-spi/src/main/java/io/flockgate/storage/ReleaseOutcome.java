package io.flockgate.storage;

/** The result of a release. */
public enum ReleaseOutcome {
    RELEASED,
    /** The key is not held by this token. Nothing has changed. */
    NOT_HELD
}
