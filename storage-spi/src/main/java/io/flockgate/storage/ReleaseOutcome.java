package io.flockgate.storage;

/** The result of a release. */
public enum ReleaseOutcome {
    RELEASED,
    /** Nobody holds this key by this token. Nothing has changed. */
    NOT_HELD
}
