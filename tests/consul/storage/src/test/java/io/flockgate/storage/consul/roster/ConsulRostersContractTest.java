package io.flockgate.storage.consul.roster;

import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.roster.tck.RosterContract;
import io.flockgate.roster.tck.RosterHarness;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(ConsulAgent.PROMPT_ANSWERS)
class ConsulRostersContractTest extends RosterContract {
    @Override
    protected RosterHarness harness() {
        return new ConsulRosterHarness();
    }
}
