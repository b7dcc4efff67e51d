package io.flockgate.roster;

import io.flockgate.roster.Roster.Departure;
import io.flockgate.roster.Roster.DepartureOutcome;
import io.flockgate.roster.Roster.JoinOutcome;
import io.flockgate.roster.Roster.Newcomer;
import io.flockgate.roster.Roster.Terms;
import io.vertx.core.Future;
import java.util.Map;
import java.util.Optional;

/**
 * A storage for rosters (protocol-docs/fleetlock.md, "Semantics"). A group that no member has
 * joined is empty. A group whose last member has left keeps its fences and its pause. Names of
 * groups and ids of members are case-sensitive.
 *
 * <p>The result of a future is durable: it survives a crash of the process, unless the storage was
 * opened as volatile. Calls on one group are linearised across all gateways that share a store. No
 * answer about a member comes from a stale read. Every call is answered within {@value
 * #PATIENCE_MILLIS} ms. A call that could not be carried out by then fails with a {@link
 * io.flockgate.storage.StorageException}; if its effect is unknown, it may still be carried out.
 * Repeating a call is always safe.
 *
 * <p>Thread safe. Futures complete on any thread. No method blocks its caller.
 */
public interface RosterStorage {
    /**
     * The maximum duration of a call. Clients would wait for half an hour, and block their
     * machine's updates meanwhile.
     */
    long PATIENCE_MILLIS = 4_000;

    /** Gives the newcomer a slot of the group, if the terms allow it or if it has one already. */
    Future<JoinOutcome> join(String group, Newcomer newcomer, Terms terms);

    /** Releases a member's slot. */
    Future<DepartureOutcome> leave(String group, Departure departure);

    /** Reads the group's roster as it is now, never a stale one. */
    Future<Roster> read(String group);

    /**
     * Reads the rosters of all groups that have ever had a member or a pause, whether or not they
     * are configured, by the groups' names. Never stale ones.
     */
    Future<Map<String, Roster>> readAll();

    /**
     * Stops admitting new members until the group is resumed. Returns the roster after the change.
     */
    Future<Roster> pause(String group, String reason);

    /** Ends a pause. Returns the roster after the change. */
    Future<Roster> resume(String group);

    /**
     * The reason why the storage cannot work now, for an operator; empty when it can, to the best
     * of its knowledge.
     */
    Optional<String> failureReason();

    /**
     * The number of changes since the start that conflicted with another change and were repeated.
     */
    default long retries() {
        return 0;
    }

    /**
     * Ends all work. Calls in progress are answered or fail; later calls fail as closed. May be
     * called twice.
     */
    Future<Void> close();
}
