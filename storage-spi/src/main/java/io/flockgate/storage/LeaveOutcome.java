package io.flockgate.storage;

/** The result of giving up a place in the queue. */
public enum LeaveOutcome {
    /** The place was given up; {@link Claimant#granted} will not be called for it. */
    LEFT,
    /**
     * The claim was granted first, and {@link Claimant#granted} has been called or will be; or an
     * operator removed it first, and {@link Claimant#removed} has been called or will be.
     */
    GRANTED
}
