package io.flockgate.storage.memory.roster;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.roster.Member;
import io.flockgate.roster.Roster;
import io.flockgate.roster.RosterDocument;
import io.flockgate.roster.RosterStorage;
import io.flockgate.roster.RosterStore;
import io.flockgate.roster.tck.RosterContract;
import io.flockgate.roster.tck.RosterHarness;
import io.flockgate.storage.memory.RedCases;
import io.flockgate.storage.memory.roster.FileRosters.VolatileRosters;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeMap;
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
        A_CRASH_LOSES_EVERYTHING
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
            return Rosters.open(faulty(fault), this::now, RosterStorage.PATIENCE_MILLIS);
        }

        @Override
        public Optional<RosterStorage> reopen(RosterStorage crashed) {
            return fault == Fault.A_CRASH_LOSES_EVERYTHING ? Optional.of(open()) : Optional.empty();
        }
    }

    /** The calls of a correct store, with a fault in what they are given. */
    private static RosterStore faulty(Fault fault) {
        RosterStore real = new VolatileRosters();
        return RedCases.broken(RosterStore.class, (proxy, call, given) -> {
            Object[] arguments = given == null ? new Object[0] : given.clone();
            for (int i = 0; i < arguments.length; i++) {
                if (arguments[i] instanceof RosterDocument document) {
                    arguments[i] = kept(document, fault);
                } else if (arguments[i] instanceof String group && fault == Fault.LOWERS_CASE_OF_GROUPS) {
                    arguments[i] = group.toLowerCase(Locale.ROOT);
                }
            }
            return RedCases.call(real, call, arguments);
        });
    }

    private static RosterDocument kept(RosterDocument document, Fault fault) {
        Roster roster = document.roster();
        TreeMap<String, Member> members = new TreeMap<>();
        for (Member each : roster.members().values()) {
            String id = keptId(each.id(), fault);
            members.put(
                    id, new Member(id, each.fence(), each.since(), each.lastSeen(), each.address(), each.gateway()));
        }
        return new RosterDocument(
                document.revision(),
                document.writer(),
                document.slots(),
                new Roster(roster.lastFence(), roster.pause(), members));
    }

    private static String keptId(String id, Fault fault) {
        return switch (fault) {
            case LOWERS_CASE_OF_IDS -> id.toLowerCase(Locale.ROOT);
            case TRIMS_IDS -> id.strip();
            case NONE, LOWERS_CASE_OF_GROUPS, A_CRASH_LOSES_EVERYTHING -> id;
        };
    }
}
