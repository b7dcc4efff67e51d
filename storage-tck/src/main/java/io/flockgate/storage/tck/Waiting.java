package io.flockgate.storage.tck;

import io.flockgate.storage.Ticket;

/** A place in a queue and who has it. */
record Waiting(RecordingClaimant claimant, Ticket ticket) {
    Holding awaitGrant() {
        return new Holding(claimant, claimant.awaitGranted(ticket));
    }

    boolean granted() {
        return claimant.grants() > 0;
    }
}
