package io.flockgate.storage;

/** What became of a release. */
public enum ReleaseOutcome {
    RELEASED,
    /** Nobody holds this key by this token; nothing was touched. */
    NOT_HELD
}
