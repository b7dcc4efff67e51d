package io.flockgate.storage.memory.roster;

import io.flockgate.roster.tck.RosterContract;
import io.flockgate.roster.tck.RosterHarness;

class VolatileRostersContractTest extends RosterContract {
    @Override
    protected RosterHarness harness() {
        return new MemoryRosterHarness(false);
    }
}
