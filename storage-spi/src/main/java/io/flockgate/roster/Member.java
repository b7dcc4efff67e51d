package io.flockgate.roster;

import java.time.Duration;
import java.time.Instant;

/**
 * One that holds a slot of a group, until it leaves.
 *
 * @param id its name, case-sensitive, unique within the group
 * @param fence the number of this stay: each that joins the group gets a higher one
 * @param since when it joined, by the clock of the gateway that let it in
 * @param lastSeen when it last asked to join, exact to {@link Roster#SEEN_RESOLUTION}
 * @param address where it asked from; empty when that is not known
 * @param gateway the node name of the gateway that let it in
 */
public record Member(String id, long fence, Instant since, Instant lastSeen, String address, String gateway) {
    /** How long it has been a member; never negative, whatever the clocks of different gateways say. */
    public Duration age(Instant now) {
        Duration age = Duration.between(since, now);
        return age.isNegative() ? Duration.ZERO : age;
    }

    /** Whether it has been one for longer than is expected; zero expects nothing. */
    public boolean isStale(Duration staleAfter, Instant now) {
        return !staleAfter.isZero() && age(now).compareTo(staleAfter) > 0;
    }

    Member seen(Instant now) {
        return new Member(id, fence, since, now, address, gateway);
    }
}
