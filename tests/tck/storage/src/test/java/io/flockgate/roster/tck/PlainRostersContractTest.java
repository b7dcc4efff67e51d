package io.flockgate.roster.tck;

class PlainRostersContractTest extends RosterContract {
    @Override
    protected RosterHarness harness() {
        return new PlainRosterHarness(RosterFault.NONE);
    }
}
