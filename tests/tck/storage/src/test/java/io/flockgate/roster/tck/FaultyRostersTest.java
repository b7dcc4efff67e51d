package io.flockgate.roster.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.tck.RedCases;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The contract must find every fault. */
@Execution(ExecutionMode.CONCURRENT)
class FaultyRostersTest {
    private static final InheritableThreadLocal<RosterFault> FAULT = new InheritableThreadLocal<>();

    /** Surefire does not find this class by its name; only this test runs it. */
    static class Contract extends RosterContract {
        @Override
        protected RosterHarness harness() {
            return new PlainRosterHarness(FAULT.get());
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void theContractTurnsRedAtThisFault(RosterFault each) {
        FAULT.set(each);

        assertThat(RedCases.upToTheFirst(Contract.class)).isNotEmpty();
    }
}
