package io.flockgate.gateway.server;

import io.flockgate.roster.Roster;
import io.flockgate.roster.Roster.Departure;
import io.flockgate.roster.Roster.DepartureOutcome;
import io.flockgate.roster.Roster.JoinOutcome;
import io.flockgate.roster.Roster.Newcomer;
import io.flockgate.roster.Roster.Terms;
import io.flockgate.roster.RosterStorage;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageException.FailureKind;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Rosters whose calls fail, depending on the group's name. Once a group was unavailable, so is the
 * list of all.
 */
final class FaultyRosters implements RosterStorage {
    private final RosterStorage memory;
    private volatile boolean unavailable;

    FaultyRosters(RosterStorage memory) {
        this.memory = memory;
    }

    private <T> Future<T> of(String group, Supplier<Future<T>> call) {
        unavailable |= group.equals("unavailable");
        return switch (group) {
            case "unavailable" ->
                Future.failedFuture(new StorageException(FailureKind.UNAVAILABLE, Effect.UNKNOWN, "s3cret reason"));
            case "closed" -> Future.failedFuture(new StorageException(FailureKind.CLOSED, Effect.NOT_DONE, "closed"));
            case "silent" -> Promise.<T>promise().future();
            case "failing" -> Future.failedFuture(new IllegalStateException("a fault"));
            default -> call.get();
        };
    }

    @Override
    public Future<JoinOutcome> join(String group, Newcomer newcomer, Terms terms) {
        return of(group, () -> memory.join(group, newcomer, terms));
    }

    @Override
    public Future<DepartureOutcome> leave(String group, Departure departure) {
        return of(group, () -> memory.leave(group, departure));
    }

    @Override
    public Future<Roster> read(String group) {
        return of(group, () -> memory.read(group));
    }

    @Override
    public Future<Roster> pause(String group, String reason) {
        return of(group, () -> memory.pause(group, reason));
    }

    @Override
    public Future<Roster> resume(String group) {
        return of(group, () -> memory.resume(group));
    }

    @Override
    public Future<Map<String, Roster>> readAll() {
        return unavailable ? of("unavailable", memory::readAll) : memory.readAll();
    }

    @Override
    public Optional<String> failureReason() {
        return memory.failureReason();
    }

    @Override
    public Future<Void> close() {
        return memory.close();
    }
}
