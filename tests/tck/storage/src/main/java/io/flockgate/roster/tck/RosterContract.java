package io.flockgate.roster.tck;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;

/**
 * What a store of rosters must keep, as {@link io.flockgate.roster.RosterStorage} shows it. Tests
 * of a store extend this class and open the storage. Not the rules of a roster, which are pure.
 */
@DisplayName("A storage for rosters")
public abstract class RosterContract {
    /** Creates a new harness; called once for every case. */
    protected abstract RosterHarness harness();

    @Nested
    @DisplayName("a slot")
    class ASlot extends SlotCases {
        ASlot() {
            super(harness());
        }
    }

    @Nested
    @DisplayName("a group")
    class AGroup extends GroupCases {
        AGroup() {
            super(harness());
        }
    }

    @Nested
    @DisplayName("the end")
    class TheEnd extends EndCases {
        TheEnd() {
            super(harness());
        }
    }
}
