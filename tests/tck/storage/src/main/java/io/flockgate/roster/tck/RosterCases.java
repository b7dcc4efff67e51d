package io.flockgate.roster.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.roster.Member;
import io.flockgate.roster.Roster;
import io.flockgate.roster.Roster.Departure;
import io.flockgate.roster.Roster.DepartureOutcome;
import io.flockgate.roster.Roster.JoinOutcome;
import io.flockgate.roster.Roster.JoinOutcome.Joined;
import io.flockgate.roster.Roster.Newcomer;
import io.flockgate.roster.Roster.Terms;
import io.flockgate.roster.RosterStorage;
import io.flockgate.storage.tck.Await;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/** A storage, and short methods for the calls of the cases. */
abstract class RosterCases {
    static final String GROUP = "workers";
    static final String OTHER_GROUP = "default";
    static final Terms ONE = new Terms(1, true);
    static final Terms TWO = new Terms(2, true);

    final RosterHarness harness;
    private final List<RosterStorage> opened = new ArrayList<>();
    private final RosterStorage storage;

    RosterCases(RosterHarness harness) {
        this.harness = harness;
        this.storage = closing(harness.open());
    }

    @AfterEach
    void closeAll() {
        opened.forEach(each -> Await.done(each.close()));
        harness.close();
    }

    private RosterStorage closing(RosterStorage fresh) {
        opened.add(fresh);
        return fresh;
    }

    RosterStorage storage() {
        return storage;
    }

    /** Another gateway if the store serves several, otherwise the same. */
    RosterStorage elsewhere() {
        return harness.peer().map(this::closing).orElse(storage);
    }

    /** The storage after a crash if the store survives one, otherwise the same. */
    RosterStorage crashed() {
        opened.remove(storage);
        return closing(harness.reopen(storage).orElse(storage));
    }

    static JoinOutcome join(RosterStorage at, String group, String id, Terms terms) {
        return Await.result(at.join(group, new Newcomer(id, "192.0.2.1"), terms));
    }

    JoinOutcome join(String id, Terms terms) {
        return join(storage, GROUP, id, terms);
    }

    Member joined(String id, Terms terms) {
        JoinOutcome outcome = join(id, terms);
        assertThat(outcome).isInstanceOf(Joined.class);
        return ((Joined) outcome).member();
    }

    static DepartureOutcome leave(RosterStorage at, String group, String id) {
        return Await.result(at.leave(group, Departure.of(id)));
    }

    DepartureOutcome leave(String id) {
        return leave(storage, GROUP, id);
    }

    static Roster roster(RosterStorage at, String group) {
        return Await.result(at.read(group));
    }

    List<String> members() {
        return List.copyOf(roster(storage, GROUP).members().keySet());
    }
}
