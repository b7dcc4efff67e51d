package io.flockgate.roster;

import java.time.Duration;
import java.time.Instant;

/**
 * A holder of a slot of a group, until it leaves.
 *
 * @param id the id, case-sensitive, unique within the group
 * @param fence the number of this membership; each later one in the group has a higher number
 * @param since the time of the join, by the clock of the gateway that admitted the member
 * @param lastSeen the time of the last request to join, exact to {@link Roster#SEEN_RESOLUTION}
 * @param address the address from which the member sent its request; empty if it is not known
 * @param gateway the node name of the gateway that admitted the member
 */
public record Member(String id, long fence, Instant since, Instant lastSeen, String address, String gateway) {
    /** The time since the join; never negative, although the clocks of gateways differ. */
    public Duration age(Instant now) {
        Duration age = Duration.between(since, now);
        return age.isNegative() ? Duration.ZERO : age;
    }

    /** Whether the membership is older than expected. Zero means that every age is expected. */
    public boolean isStale(Duration staleAfter, Instant now) {
        return since.isBefore(staleBefore(staleAfter, now));
    }

    /** The time before which stale memberships have begun. */
    static Instant staleBefore(Duration staleAfter, Instant now) {
        return staleAfter.isZero() ? Instant.MIN : now.minus(staleAfter);
    }

    Member seen(Instant now) {
        return new Member(id, fence, since, now, address, gateway);
    }
}
