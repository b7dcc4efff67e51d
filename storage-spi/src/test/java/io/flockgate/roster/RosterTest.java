package io.flockgate.roster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.flockgate.roster.Roster.Departure;
import io.flockgate.roster.Roster.DepartureOutcome.Left;
import io.flockgate.roster.Roster.DepartureOutcome.Unchanged;
import io.flockgate.roster.Roster.JoinOutcome;
import io.flockgate.roster.Roster.JoinOutcome.AlreadyMember;
import io.flockgate.roster.Roster.JoinOutcome.Joined;
import io.flockgate.roster.Roster.JoinOutcome.Refused;
import io.flockgate.roster.Roster.Newcomer;
import io.flockgate.roster.Roster.Pause;
import io.flockgate.roster.Roster.Step;
import io.flockgate.roster.Roster.Terms;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class RosterTest {
    private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");
    private static final Terms ONE = new Terms(1, true);
    private static final Terms SHUT = new Terms(1, false);

    private static Step<JoinOutcome> join(Roster roster, String id, Terms terms, Instant now) {
        return roster.join(new Newcomer(id, "192.0.2.7"), terms, "node-1", now);
    }

    private static Roster with(String id) {
        return join(Roster.EMPTY, id, ONE, NOON).after();
    }

    @Test
    void aNewcomerGetsAFreeSlotWithTheNextFence() {
        Member member = new Member("a", 1, NOON, NOON, "192.0.2.7", "node-1");

        Step<JoinOutcome> step = join(Roster.EMPTY, "a", ONE, NOON);

        assertThat(step.outcome()).isEqualTo(new Joined(member));
        assertThat(step.after().members()).containsOnlyKeys("a").containsValue(member);
        assertThat(step.after().lastFence()).isEqualTo(1);
    }

    @Test
    void aMemberKeepsItsFenceAndTheNextOneHasAHigherOne() {
        Roster roster = with("a");
        Instant later = NOON.plus(Roster.SEEN_RESOLUTION);
        Member seen = new Member("a", 1, NOON, later, "192.0.2.7", "node-1");

        assertThat(join(roster, "a", ONE, later.minusMillis(1)).after()).isSameAs(roster);
        assertThat(join(roster, "a", ONE, later).outcome()).isEqualTo(new AlreadyMember(seen));
        assertThat(join(roster, "a", ONE, later).after().members())
                .containsOnlyKeys("a")
                .containsValue(seen);
        Roster left = roster.leave(Departure.of("a")).after();
        assertThat(left.members()).isEmpty();
        assertThat(join(left, "a", ONE, NOON).after().lastFence()).isEqualTo(2);
    }

    @Test
    void theTermsOfTheMomentCount() {
        Roster three = join(with("a"), "b", new Terms(3, true), NOON).after();
        three = join(three, "c", new Terms(3, true), NOON).after();

        assertThat(join(three, "c", ONE, NOON).outcome()).isInstanceOf(AlreadyMember.class);
        assertThat(join(three, "a", ONE, NOON.plus(Roster.SEEN_RESOLUTION))
                        .after()
                        .lastFence())
                .isEqualTo(3);
        assertThat(join(three, "d", new Terms(3, true), NOON).outcome()).isEqualTo(Refused.FULL);
        assertThat(join(three, "d", ONE, NOON).outcome()).isEqualTo(Refused.FULL);
        Roster one = three.without("a").without("b");
        assertThat(join(one, "d", ONE, NOON).outcome()).isEqualTo(Refused.FULL);
        assertThat(join(one, "d", new Terms(2, true), NOON).outcome()).isInstanceOf(Joined.class);
    }

    @Test
    void nothingIsToBeStoredForARefusal() {
        Roster full = with("a");
        Roster paused = Roster.EMPTY.paused("why", NOON);

        assertThat(join(full, "b", ONE, NOON)).isEqualTo(new Step<>(Refused.FULL, full));
        assertThat(join(full, "b", ONE, NOON).after()).isSameAs(full);
        assertThat(join(Roster.EMPTY, "b", SHUT, NOON).outcome()).isEqualTo(Refused.CLOSED);
        assertThat(join(paused, "b", ONE, NOON).outcome()).isEqualTo(Refused.PAUSED);
        assertThat(join(paused, "b", ONE, NOON).after()).isSameAs(paused);
    }

    @Test
    void membershipComesBeforePauseHoursAndLimit() {
        Roster roster = join(with("a"), "b", new Terms(2, true), NOON).after().paused("why", NOON);

        assertThat(join(roster, "a", SHUT, NOON).outcome()).isInstanceOf(AlreadyMember.class);
        assertThat(join(roster, "a", SHUT, NOON).after()).isSameAs(roster);
    }

    @Test
    void aClockThatWasPutBackNotesNothing() {
        Roster roster = with("a");

        assertThat(join(roster, "a", ONE, NOON.minusSeconds(3600)).after()).isSameAs(roster);
    }

    @Test
    void nothingIsToBeStoredWhenNobodyLeaves() {
        Roster roster = with("a");

        assertThat(roster.leave(Departure.of("b"))).isEqualTo(new Step<>(Unchanged.NOT_MEMBER, roster));
        assertThat(roster.leave(Departure.of("b")).after()).isSameAs(roster);
        assertThat(roster.leave(new Departure("a", OptionalLong.of(2))).outcome())
                .isEqualTo(Unchanged.OTHER_FENCE);
        assertThat(roster.leave(new Departure("a", OptionalLong.of(2))).after()).isSameAs(roster);
        assertThat(roster.leave(new Departure("a", OptionalLong.of(1))).outcome())
                .isInstanceOf(Left.class);
    }

    @Test
    void aPauseThatChangesNothingIsNotStored() {
        Roster paused = Roster.EMPTY.paused("why", NOON);

        assertThat(paused.paused("why", NOON.plusSeconds(9))).isSameAs(paused);
        assertThat(paused.paused("other", NOON.plusSeconds(9)).pause()).contains(new Pause(NOON, "other"));
        assertThat(Roster.EMPTY.resumed()).isSameAs(Roster.EMPTY);
        assertThat(with("a").paused("why", NOON).resumed()).isEqualTo(with("a"));
    }

    @Test
    void aRosterIsNotChangedBehindItsBack() {
        Roster roster = with("a");
        var unused = join(roster, "b", new Terms(2, true), NOON);

        assertThat(roster.members()).containsOnlyKeys("a");
        assertThatThrownBy(() -> roster.members().clear()).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void aMemberIsStaleOnceItHasBeenOneForLongerThanThat() {
        Roster roster = with("a");
        Duration hour = Duration.ofHours(1);

        assertThat(roster.stale(hour, NOON.plus(hour))).isZero();
        assertThat(roster.stale(hour, NOON.plus(hour).plusMillis(1))).isEqualTo(1);
        assertThat(roster.stale(Duration.ZERO, NOON.plus(hour))).isZero();
        assertThat(Objects.requireNonNull(roster.members().get("a")).age(NOON.minusSeconds(1)))
                .isZero();
    }

    @Test
    void countingStaleMembersAllocatesNothingForEach() {
        SortedMap<String, Member> members = new TreeMap<>();
        for (int i = 0; i < 1000; i++) {
            members.put("id" + i, new Member("id" + i, i, NOON, NOON, "192.0.2.7", "node-1"));
        }
        Roster roster = new Roster(1000, Optional.empty(), members);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 3; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            assertThat(roster.stale(Duration.ofHours(1), NOON.plusSeconds(3601)))
                    .isEqualTo(1000);
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(least).isLessThan(5000);
    }

    @Test
    void aGroupHasASlotAtLeast() {
        assertThatThrownBy(() -> new Terms(0, true)).isInstanceOf(IllegalArgumentException.class);
    }
}
