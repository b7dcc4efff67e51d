package io.flockgate.storage.consul.key;

import io.flockgate.storage.ClaimOutcome;

/** The next step of a claim. */
sealed interface ClaimDecision {
    /** Write a grant of a free slot. */
    record Take() implements ClaimDecision {}

    /** Write a ticket. */
    record Queue() implements ClaimDecision {}

    /** Answer the claim with a refusal, or with the grant that was written. */
    record Answer(ClaimOutcome outcome) implements ClaimDecision {}

    /** Read the key. */
    record ReadAgain() implements ClaimDecision {}
}
