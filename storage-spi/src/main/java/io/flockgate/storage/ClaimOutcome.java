package io.flockgate.storage;

/** The immediate result of a claim. */
public sealed interface ClaimOutcome permits ClaimOutcome.Held, ClaimOutcome.Queued, Refusal {
    /** A slot was free and the queue empty: the claimant holds the slot. */
    record Held(Grant grant) implements ClaimOutcome {}

    /**
     * The claimant has a place in the queue. {@link Claimant#granted} is called when it gets a
     * slot.
     */
    record Queued(Ticket ticket) implements ClaimOutcome {}
}
