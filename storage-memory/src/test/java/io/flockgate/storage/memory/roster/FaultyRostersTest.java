package io.flockgate.storage.memory.roster;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.roster.Roster.Departure;
import io.flockgate.roster.Roster.Newcomer;
import io.flockgate.roster.RosterStorage;
import io.flockgate.roster.support.SerialRosters;
import io.flockgate.roster.tck.RosterContract;
import io.flockgate.roster.tck.RosterHarness;
import io.flockgate.storage.memory.RedCases;
import io.flockgate.storage.memory.roster.FileRosters.VolatileRosters;
import io.vertx.core.Future;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The contract finds the faults that no mutant of the rules of a roster shows. */
@Execution(ExecutionMode.CONCURRENT)
class FaultyRostersTest {
    enum Fault {
        NONE,
        LOWERS_CASE_OF_GROUPS,
        LOWERS_CASE_OF_IDS,
        TRIMS_IDS,
        A_CRASH_LOSES_EVERYTHING,
        CLOSED_GOES_ON
    }

    /** Surefire does not find this class by its name; only this test runs it. */
    static class FaultyContract extends RosterContract {
        @Override
        protected RosterHarness harness() {
            return new FaultyHarness((Fault) RedCases.fault());
        }
    }

    @ParameterizedTest
    @EnumSource
    void theContractTurnsRedAtAFaultAndAtNothingElse(Fault each) {
        assertThat(RedCases.show(FaultyContract.class, each)).isEqualTo(each != Fault.NONE);
    }

    /** Opens volatile rosters with a fault. */
    private static final class FaultyHarness extends RosterHarness {
        private final Fault fault;

        FaultyHarness(Fault fault) {
            this.fault = fault;
        }

        @Override
        public RosterStorage open() {
            RosterStorage real = Rosters.open(new VolatileRosters(), this::now, SerialRosters.PATIENCE_MILLIS);
            return RedCases.broken(RosterStorage.class, (proxy, call, given) -> {
                if (call.getName().equals("close") && fault == Fault.CLOSED_GOES_ON) {
                    return Future.succeededFuture();
                }
                Object[] arguments = given == null
                        ? new Object[0]
                        : Arrays.stream(given).map(this::broken).toArray();
                return RedCases.call(real, call, arguments);
            });
        }

        private Object broken(Object argument) {
            return switch (argument) {
                case String group when fault == Fault.LOWERS_CASE_OF_GROUPS -> group.toLowerCase(Locale.ROOT);
                case Newcomer newcomer -> new Newcomer(id(newcomer.id()), newcomer.address());
                case Departure departure -> new Departure(id(departure.id()), departure.fence());
                default -> argument;
            };
        }

        private String id(String id) {
            return switch (fault) {
                case LOWERS_CASE_OF_IDS -> id.toLowerCase(Locale.ROOT);
                case TRIMS_IDS -> id.strip();
                case NONE, LOWERS_CASE_OF_GROUPS, A_CRASH_LOSES_EVERYTHING, CLOSED_GOES_ON -> id;
            };
        }

        @Override
        public Optional<RosterStorage> reopen(RosterStorage crashed) {
            return fault == Fault.A_CRASH_LOSES_EVERYTHING ? Optional.of(open()) : Optional.empty();
        }
    }
}
