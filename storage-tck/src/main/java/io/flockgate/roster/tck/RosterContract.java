package io.flockgate.roster.tck;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;

/**
 * What every storage for rosters must do: each sentence of {@link io.flockgate.roster.RosterStorage} as a case. The tests of
 * a storage extend this class and say how the storage is opened.
 */
@DisplayName("A storage for rosters")
public abstract class RosterContract {
    /** A new harness: called once for every case. */
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
