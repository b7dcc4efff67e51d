package io.flockgate.roster.support;

import io.flockgate.roster.Departure;
import io.flockgate.roster.JoinOutcome;
import io.flockgate.roster.LeaveOutcome;
import io.flockgate.roster.Newcomer;
import io.flockgate.roster.Roster;
import io.flockgate.roster.Step;
import io.flockgate.roster.Terms;
import java.time.InstantSource;

/** Makes the calls of a {@link io.flockgate.roster.RosterStorage}: each binds a rule of {@link Roster} to its arguments. */
public final class RosterCalls {
    private final InstantSource clock;
    private final String gateway;

    /** @param gateway the node name of this gateway */
    public RosterCalls(InstantSource clock, String gateway) {
        this.clock = clock;
        this.gateway = gateway;
    }

    public RosterCall<JoinOutcome> join(String group, Newcomer newcomer, Terms terms) {
        return new RosterCall<>(group, terms.slots(), roster -> roster.join(newcomer, terms, gateway, clock.instant()));
    }

    public RosterCall<LeaveOutcome> leave(String group, Departure departure) {
        return new RosterCall<>(group, 0, roster -> roster.leave(departure));
    }

    public RosterCall<Roster> read(String group) {
        return new RosterCall<>(group, 0, RosterCalls::result);
    }

    public RosterCall<Roster> pause(String group, String reason) {
        return new RosterCall<>(group, 0, roster -> result(roster.paused(reason, clock.instant())));
    }

    public RosterCall<Roster> resume(String group) {
        return new RosterCall<>(group, 0, roster -> result(roster.resumed()));
    }

    private static Step<Roster> result(Roster after) {
        return new Step<>(after, after);
    }
}
