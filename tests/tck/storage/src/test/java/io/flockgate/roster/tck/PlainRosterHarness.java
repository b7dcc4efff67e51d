package io.flockgate.roster.tck;

import io.flockgate.roster.RosterStorage;
import java.util.Optional;

final class PlainRosterHarness extends RosterHarness {
    private final RosterFault fault;

    PlainRosterHarness(RosterFault fault) {
        this.fault = fault;
    }

    @Override
    public RosterStorage open() {
        return new PlainRosters(this, fault);
    }

    @Override
    public Optional<RosterStorage> reopen(RosterStorage crashed) {
        return Optional.of(((PlainRosters) crashed).crashed());
    }
}
