package io.flockgate.roster.tck;

import io.flockgate.roster.RosterStorage;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

final class PlainRosterHarness implements RosterHarness {
    private final RosterFault fault;
    private Instant now = Instant.parse("2026-03-01T12:00:00Z");

    PlainRosterHarness(RosterFault fault) {
        this.fault = fault;
    }

    @Override
    public RosterStorage open() {
        return new PlainRosters(this, fault);
    }

    @Override
    public String gateway() {
        return "node-1";
    }

    @Override
    public synchronized Instant now() {
        return now;
    }

    @Override
    public synchronized void pass(Duration time) {
        now = now.plus(time);
    }

    @Override
    public Optional<RosterStorage> reopen(RosterStorage crashed) {
        return Optional.of(((PlainRosters) crashed).crashed());
    }
}
