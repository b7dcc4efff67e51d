package io.flockgate.storage;

/** What became of a claim at once. */
public sealed interface ClaimOutcome permits ClaimOutcome.Held, ClaimOutcome.Queued, Refusal {
    /** A slot was free and nobody was waiting: the claimant holds it. */
    record Held(Grant grant) implements ClaimOutcome {}

    /** The claimant stands in the queue; {@link Claimant#granted} tells it when it has reached a slot. */
    record Queued(Ticket ticket) implements ClaimOutcome {}
}
