package io.flockgate.storage.rules;

import io.flockgate.storage.ClaimOutcome.Ticket;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Grant.Ending;

/** A claimant that must never be notified: the storage does that, not the rules. */
record RulesClaimant(long id) implements Claimant {
    @Override
    public void granted(Ticket ticket, Grant grant) {
        throw new AssertionError("the rules notify no claimant");
    }

    @Override
    public void removed(Ticket ticket) {
        throw new AssertionError("the rules notify no claimant");
    }

    @Override
    public void ended(Grant grant, Ending ending) {
        throw new AssertionError("the rules notify no claimant");
    }
}
