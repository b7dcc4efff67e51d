package io.flockgate.roster.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.tck.RedCases;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The contract must find every fault. */
class FaultyRostersTest {
    private static volatile RosterFault fault = RosterFault.NONE;

    /** Surefire does not find this class by its name; only this test runs it. */
    static class Contract extends RosterContract {
        @Override
        protected RosterHarness harness() {
            return new PlainRosterHarness(fault);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void theContractTurnsRedAtThisFault(RosterFault each) {
        fault = each;

        assertThat(RedCases.upToTheFirst(Contract.class)).isNotEmpty();
    }
}
