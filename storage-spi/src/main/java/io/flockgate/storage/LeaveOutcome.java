package io.flockgate.storage;

/** The result of giving up a place in the queue. */
public enum LeaveOutcome {
    /** The place is given up; {@link Claimant#granted} will not be called for it. */
    LEFT,
    /**
     * The claim was granted first: {@link Claimant#granted} has been called or will be. Or an
     * operator has removed it first: {@link Claimant#removed} has been called or will be.
     */
    GRANTED
}
