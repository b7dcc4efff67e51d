package io.flockgate.roster.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.roster.Member;
import io.flockgate.roster.Roster.Departure;
import io.flockgate.roster.Roster.DepartureOutcome.Unchanged;
import io.flockgate.roster.Roster.JoinOutcome.AlreadyMember;
import io.flockgate.roster.Roster.JoinOutcome.Joined;
import io.flockgate.roster.Roster.Terms;
import io.flockgate.storage.tck.Await;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

abstract class SlotCases extends RosterCases {
    SlotCases(RosterHarness harness) {
        super(harness);
    }

    @Test
    @DisplayName("is reported with id, fence, time, address and gateway")
    void reported() {
        Member member = joined("a", ONE);

        assertThat(member)
                .isEqualTo(
                        new Member("a", member.fence(), harness.now(), harness.now(), "192.0.2.1", harness.gateway()));
        assertThat(member.fence()).isPositive();
        Departure another = new Departure("a", OptionalLong.of(member.fence() + 1));
        assertThat(Await.result(storage().leave(GROUP, another))).isEqualTo(Unchanged.OTHER_FENCE);
        assertThat(roster(storage(), GROUP).members()).containsValue(member);
    }

    @Test
    @DisplayName("is never given over the limit when many ask at once, and never refused under it")
    void race() {
        assertThat(Races.joinAll(List.of(storage(), elsewhere()), GROUP, 12, new Terms(5, true)))
                .filteredOn(Joined.class::isInstance)
                .hasSize(5);
        assertThat(members()).hasSize(5);

        assertThat(Races.joinAll(List.of(storage(), elsewhere()), OTHER_GROUP, 12, new Terms(12, true)))
                .allMatch(Joined.class::isInstance);
        Races.leaveAll(List.of(storage(), elsewhere()), OTHER_GROUP, 12);
        assertThat(roster(storage(), OTHER_GROUP).members()).isEmpty();
    }

    @Test
    @DisplayName("is one also when its member asks many times at once")
    void raceOfOne() {
        assertThat(Races.joinAsOne(List.of(storage(), elsewhere()), GROUP, "a", 12, ONE))
                .allMatch(outcome -> outcome instanceof Joined || outcome instanceof AlreadyMember)
                .filteredOn(Joined.class::isInstance)
                .hasSize(1);
        assertThat(members()).containsExactly("a");
    }
}
