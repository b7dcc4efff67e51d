package io.flockgate.gateway.fleetlock;

import io.flockgate.roster.Departure;
import io.flockgate.roster.DepartureOutcome;
import io.flockgate.roster.JoinOutcome;
import io.flockgate.roster.Newcomer;
import io.flockgate.roster.Roster;
import io.flockgate.roster.RosterStorage;
import io.flockgate.roster.Terms;
import io.vertx.core.Future;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * A storage of rosters whose calls never throw. An exception that the storage throws in breach of
 * its contract becomes a failed future, so that each order gets its audit line, each report gives
 * up its turn, and metrics show the other groups.
 */
public final class GuardedRosters implements RosterStorage {
    private final RosterStorage rosters;

    public GuardedRosters(RosterStorage rosters) {
        this.rosters = rosters;
    }

    private static <T> Future<T> guarded(Supplier<Future<T>> call) {
        try {
            return call.get();
        } catch (RuntimeException e) {
            return Future.failedFuture(e);
        }
    }

    @Override
    public Future<JoinOutcome> join(String group, Newcomer newcomer, Terms terms) {
        return guarded(() -> rosters.join(group, newcomer, terms));
    }

    @Override
    public Future<DepartureOutcome> leave(String group, Departure departure) {
        return guarded(() -> rosters.leave(group, departure));
    }

    @Override
    public Future<Roster> read(String group) {
        return guarded(() -> rosters.read(group));
    }

    @Override
    public Future<Roster> pause(String group, String reason) {
        return guarded(() -> rosters.pause(group, reason));
    }

    @Override
    public Future<Roster> resume(String group) {
        return guarded(() -> rosters.resume(group));
    }

    @Override
    public Future<Set<String>> groups() {
        return guarded(rosters::groups);
    }

    @Override
    public Optional<String> failureReason() {
        return rosters.failureReason();
    }

    @Override
    public long retries() {
        return rosters.retries();
    }

    @Override
    public Future<Void> close() {
        return rosters.close();
    }
}
