package io.flockgate.roster.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.roster.Roster;
import io.flockgate.roster.Roster.DepartureOutcome.Left;
import io.flockgate.roster.Roster.DepartureOutcome.Unchanged;
import io.flockgate.roster.Roster.JoinOutcome.AlreadyMember;
import io.flockgate.roster.Roster.JoinOutcome.Joined;
import io.flockgate.roster.Roster.JoinOutcome.Refused;
import io.flockgate.roster.Roster.Pause;
import io.flockgate.roster.Roster.Terms;
import io.flockgate.roster.RosterStorage;
import io.flockgate.storage.tck.Await;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

abstract class GroupCases extends RosterCases {
    /** Ids that a storage might confuse, by their bytes or by the case of their letters. */
    private static final List<String> ODD_IDS = List.of(
            "A",
            "a ",
            " a",
            "a/b",
            "a/",
            "../a",
            "a\"b",
            "a\\b",
            "{}",
            "null",
            "%61",
            "\u00e4",
            "a\u0308",
            "\ud83d\udd12",
            "x".repeat(256),
            "x".repeat(255));

    GroupCases(RosterHarness harness) {
        super(harness);
    }

    @Test
    @DisplayName("is empty until somebody joins")
    void empty() {
        assertThat(roster(storage(), GROUP)).isEqualTo(Roster.EMPTY);
        assertThat(leave("a")).isEqualTo(Unchanged.NOT_MEMBER);
        assertThat(roster(storage(), GROUP)).isEqualTo(Roster.EMPTY);
    }

    @Test
    @DisplayName("has nothing to do with another group")
    void apart() {
        joined("a", ONE);

        assertThat(join(storage(), OTHER_GROUP, "a", ONE)).isInstanceOf(Joined.class);
        assertThat(leave(storage(), OTHER_GROUP, "a")).isInstanceOf(Left.class);
        assertThat(members()).containsExactly("a");
    }

    @Test
    @DisplayName("is another one when its name differs in case only, or looks like a path")
    void names() {
        List<String> names = List.of("workers", "Workers", "workers.", ".", "..", "-", "w".repeat(128));
        for (String name : names) {
            assertThat(join(storage(), name, "a", ONE)).as(name).isInstanceOf(Joined.class);
        }
        for (String name : names) {
            assertThat(roster(storage(), name).members()).as(name).containsOnlyKeys("a");
        }
    }

    @Test
    @DisplayName("takes any name of a member and confuses none")
    void oddIds() {
        Terms ample = new Terms(ODD_IDS.size(), true);
        for (String id : ODD_IDS) {
            assertThat(join(id, ample)).as(id).isInstanceOf(Joined.class);
        }
        assertThat(crashedMembers()).containsExactlyInAnyOrderElementsOf(ODD_IDS);
    }

    private Iterable<String> crashedMembers() {
        return roster(crashed(), GROUP).members().keySet();
    }

    @Test
    @DisplayName("is as it was after a crash: members, fences and pause, those who left included")
    void crash() {
        joined("a", TWO);
        joined("b", TWO);
        leave("b");
        harness.pass(Duration.ofMinutes(5));
        assertThat(join("a", TWO)).isInstanceOf(AlreadyMember.class);
        Await.done(storage().pause(GROUP, "why"));
        assertThat(join(storage(), OTHER_GROUP, "x", ONE)).isInstanceOf(Joined.class);
        Roster before = roster(storage(), GROUP);
        Roster other = roster(storage(), OTHER_GROUP);

        var after = crashed();

        assertThat(roster(after, GROUP)).isEqualTo(before);
        assertThat(roster(after, OTHER_GROUP)).isEqualTo(other);
        Await.done(after.resume(GROUP));
        assertThat(join(after, GROUP, "b", TWO)).isInstanceOf(Joined.class);
        assertThat(roster(after, GROUP).lastFence()).isGreaterThan(before.lastFence());
    }

    @Test
    @DisplayName("is the same at every gateway")
    void everywhere() {
        var other = elsewhere();
        joined("a", ONE);

        assertThat(join(other, GROUP, "a", ONE)).isInstanceOf(AlreadyMember.class);
        assertThat(join(other, GROUP, "b", ONE)).isEqualTo(Refused.FULL);
        Await.done(other.pause(GROUP, "why"));
        assertThat(roster(storage(), GROUP).pause()).map(Pause::reason).isEqualTo(Optional.of("why"));
        assertThat(leave(other, GROUP, "a")).isInstanceOf(Left.class);
        assertThat(leave("a")).isEqualTo(Unchanged.NOT_MEMBER);
        assertThat(join("b", ONE)).isEqualTo(Refused.PAUSED);
        Await.done(storage().resume(GROUP));
        assertThat(join(other, GROUP, "b", ONE)).isInstanceOf(Joined.class);
    }

    @Test
    @DisplayName("is known to every gateway once it has had a member, also after a crash")
    void known() {
        joined("a", ONE);
        assertThat(join(storage(), "Odd.name-1", "a", ONE)).isInstanceOf(Joined.class);
        leave("a");

        isKnownTo(storage());
        isKnownTo(elsewhere());
        isKnownTo(crashed());
    }

    private void isKnownTo(RosterStorage at) {
        Map<String, Roster> all = Await.result(at.readAll());
        assertThat(all).containsOnlyKeys(GROUP, "Odd.name-1");
        all.forEach((group, roster) -> assertThat(roster).isEqualTo(roster(at, group)));
    }

    @Test
    @DisplayName("keeps hundreds of members")
    void large() {
        Terms ample = new Terms(300, true);
        assertThat(Races.joinAll(List.of(storage(), elsewhere()), GROUP, 300, ample))
                .allMatch(Joined.class::isInstance);
        assertThat(join("one more", ample)).isEqualTo(Refused.FULL);

        assertThat(roster(crashed(), GROUP).members()).hasSize(300);
    }
}
