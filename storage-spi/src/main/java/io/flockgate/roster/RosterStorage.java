package io.flockgate.roster;

import io.vertx.core.Future;
import java.util.Optional;

/**
 * Where rosters live (FleetLock, "Semantics"). Groups need not be made known: one that nobody has joined is empty, and one
 * whose last member has left keeps its fences and its pause. Names of groups and members are case-sensitive.
 *
 * <p>What a future tells is durable: it stands after a crash of the process, unless the storage was opened as volatile.
 * Calls on one group are linearised, over all gateways that share a store; a member's presence or absence is never told
 * from a stale read. Every call is answered within {@value #PATIENCE_MILLIS} ms; one that could not be carried out by then
 * fails with a {@link io.flockgate.storage.StorageException}, and then it may still be done a moment later if that says so.
 * Asking again is always safe.
 *
 * <p>Thread safe; futures complete on any thread. Nothing blocks the caller.
 */
public interface RosterStorage {
    /** The longest that a call takes: clients wait for half an hour, but those who run them do not want that. */
    long PATIENCE_MILLIS = 4_000;

    /** Gives the newcomer a slot of the group if the terms allow it or if it has one. */
    Future<JoinOutcome> join(String group, Newcomer newcomer, Terms terms);

    /** Takes a member's slot back. */
    Future<LeaveOutcome> leave(String group, Departure departure);

    /** The group's roster as it is now, not as it was. */
    Future<Roster> read(String group);

    /** Lets nobody join the group until it is resumed; the roster after that. */
    Future<Roster> pause(String group, String reason);

    /** Ends a pause; the roster after that. */
    Future<Roster> resume(String group);

    /** Why the storage cannot work just now, for an operator; empty when it can as far as it knows. */
    Optional<String> failureReason();

    /** How often a change met another one and was tried again, since the start. */
    default long retries() {
        return 0;
    }

    /** Ends all work; calls under way are answered one way or the other, later ones fail as closed. May be called twice. */
    Future<Void> close();
}
