package io.flockgate.storage.tck;

import io.flockgate.storage.Ticket;

/** A queued claim: a place in a queue and the claimant that has it. */
record QueuedClaim(RecordingClaimant claimant, Ticket ticket) {
    HeldGrant awaitGrant() {
        return new HeldGrant(claimant, claimant.awaitGranted(ticket));
    }

    boolean granted() {
        return claimant.grants() > 0;
    }
}
