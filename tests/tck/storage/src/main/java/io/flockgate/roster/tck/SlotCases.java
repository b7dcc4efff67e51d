package io.flockgate.roster.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.roster.Member;
import io.flockgate.roster.Roster;
import io.flockgate.roster.Roster.Departure;
import io.flockgate.roster.Roster.DepartureOutcome.Left;
import io.flockgate.roster.Roster.DepartureOutcome.Unchanged;
import io.flockgate.roster.Roster.JoinOutcome.AlreadyMember;
import io.flockgate.roster.Roster.JoinOutcome.Joined;
import io.flockgate.roster.Roster.JoinOutcome.Refused;
import io.flockgate.roster.Roster.Terms;
import io.flockgate.storage.tck.Await;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

abstract class SlotCases extends RosterCases {
    SlotCases(RosterHarness harness) {
        super(harness);
    }

    @Test
    @DisplayName(
            "is given to the first, refused to the second, who cannot give it back, and goes on once it is given back")
    void firstComeFirstServed() {
        assertThat(join("a", ONE)).isInstanceOf(Joined.class);
        assertThat(join("b", ONE)).isEqualTo(Refused.FULL);
        assertThat(leave("b")).isEqualTo(Unchanged.NOT_MEMBER);
        assertThat(members()).containsExactly("a");
        leave("a");
        joined("b", ONE);
    }

    @Test
    @DisplayName("is reported with id, fence, time, address and gateway")
    void reported() {
        Member member = joined("a", ONE);

        assertThat(member)
                .isEqualTo(
                        new Member("a", member.fence(), harness.now(), harness.now(), "192.0.2.1", harness.gateway()));
        assertThat(member.fence()).isPositive();
        assertThat(roster(storage(), GROUP).members()).containsValue(member);
    }

    @Test
    @DisplayName("stays one however often its member asks, and is given back by leaving once")
    void unbalanced() {
        Member member = joined("a", ONE);
        for (int i = 0; i < 10; i++) {
            assertThat(join("a", ONE)).isEqualTo(new AlreadyMember(member));
        }
        assertThat(members()).containsExactly("a");
        assertThat(leave("a")).isEqualTo(new Left(member));
        assertThat(leave("a")).isEqualTo(Unchanged.NOT_MEMBER);
        assertThat(members()).isEmpty();
    }

    @Test
    @DisplayName("comes with a higher fence each time")
    void fencesRise() {
        long last = 0;
        for (int i = 0; i < 5; i++) {
            Member member = joined("a", ONE);
            assertThat(member.fence()).isGreaterThan(last);
            last = member.fence();
            leave("a");
        }
        assertThat(roster(storage(), GROUP).lastFence()).isEqualTo(last);
    }

    @Test
    @DisplayName("is taken back only with its own fence when one is named")
    void fenced() {
        long before = joined("a", ONE).fence();
        leave("a");
        Member now = joined("a", ONE);

        assertThat(Await.result(storage().leave(GROUP, new Departure("a", OptionalLong.of(before)))))
                .isEqualTo(Unchanged.OTHER_FENCE);
        assertThat(members()).containsExactly("a");
        assertThat(Await.result(storage().leave(GROUP, new Departure("a", OptionalLong.of(now.fence())))))
                .isEqualTo(new Left(now));
    }

    @Test
    @DisplayName("knows since when it is taken, and to the minute when its member asked last")
    void seen() {
        Member member = joined("a", ONE);
        harness.pass(Roster.SEEN_RESOLUTION.minusMillis(1));
        join("a", ONE);
        assertThat(roster(storage(), GROUP).members()).containsEntry("a", member);

        harness.pass(Duration.ofMillis(1));
        join("a", ONE);
        Member again = Objects.requireNonNull(roster(storage(), GROUP).members().get("a"));
        assertThat(again.lastSeen()).isEqualTo(harness.now());
        assertThat(again.since()).isEqualTo(member.since());
        assertThat(again.fence()).isEqualTo(member.fence());
    }

    @Test
    @DisplayName("is kept until it is given back, however long that takes")
    void noExpiry() {
        Member member = joined("a", ONE);
        harness.pass(Duration.ofDays(4000));

        assertThat(join("b", ONE)).isEqualTo(Refused.FULL);
        assertThat(roster(storage(), GROUP).members()).containsEntry("a", member);
        assertThat(join("a", ONE)).isInstanceOf(AlreadyMember.class);
    }

    @Test
    @DisplayName("is counted against the terms of the moment: more slots at once, fewer without evicting anybody")
    void limits() {
        joined("a", ONE);
        assertThat(join("b", ONE)).isEqualTo(Refused.FULL);
        joined("b", new Terms(3, true));
        joined("c", new Terms(3, true));

        for (String member : List.of("a", "b", "c")) {
            assertThat(join(member, ONE)).isInstanceOf(AlreadyMember.class);
        }
        leave("a");
        leave("b");
        assertThat(join("d", ONE)).isEqualTo(Refused.FULL);
        leave("c");
        joined("d", ONE);
    }

    @Test
    @DisplayName("is given to nobody new while the group is closed, and kept by those who have one")
    void closed() {
        Terms closed = new Terms(2, false);
        joined("a", TWO);

        assertThat(join("b", closed)).isEqualTo(Refused.CLOSED);
        assertThat(join("a", closed)).isInstanceOf(AlreadyMember.class);
        assertThat(leave("a")).isInstanceOf(Left.class);
        joined("b", TWO);
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
