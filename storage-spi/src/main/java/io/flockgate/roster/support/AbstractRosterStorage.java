package io.flockgate.roster.support;

import io.flockgate.roster.Departure;
import io.flockgate.roster.DepartureOutcome;
import io.flockgate.roster.JoinOutcome;
import io.flockgate.roster.Newcomer;
import io.flockgate.roster.Roster;
import io.flockgate.roster.RosterStorage;
import io.flockgate.roster.Step;
import io.flockgate.roster.Terms;
import io.vertx.core.Future;
import java.time.InstantSource;

/**
 * A roster storage whose operations are {@link RosterCall}s: each binds a rule of {@link Roster} to
 * its arguments.
 */
public abstract class AbstractRosterStorage implements RosterStorage {
    private final InstantSource clock;
    private final String gateway;

    /**
     * Creates a storage that does not accept calls yet.
     *
     * @param gateway the node name of this gateway
     */
    protected AbstractRosterStorage(InstantSource clock, String gateway) {
        this.clock = clock;
        this.gateway = gateway;
    }

    /** Carries out a call and answers it. */
    protected abstract <T> Future<T> submit(RosterCall<T> call);

    @Override
    public Future<JoinOutcome> join(String group, Newcomer newcomer, Terms terms) {
        return submit(new RosterCall<>(
                group, terms.slots(), roster -> roster.join(newcomer, terms, gateway, clock.instant())));
    }

    @Override
    public Future<DepartureOutcome> leave(String group, Departure departure) {
        return submit(new RosterCall<>(group, 0, roster -> roster.leave(departure)));
    }

    @Override
    public Future<Roster> read(String group) {
        return submit(new RosterCall<>(group, 0, AbstractRosterStorage::result));
    }

    @Override
    public Future<Roster> pause(String group, String reason) {
        return submit(new RosterCall<>(group, 0, roster -> result(roster.paused(reason, clock.instant()))));
    }

    @Override
    public Future<Roster> resume(String group) {
        return submit(new RosterCall<>(group, 0, roster -> result(roster.resumed())));
    }

    private static Step<Roster> result(Roster after) {
        return new Step<>(after, after);
    }
}
