package io.flockgate.gateway.fleetlock;

import io.flockgate.roster.Member;
import io.flockgate.roster.Roster;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.util.Optional;

/**
 * A group as operators see it.
 *
 * @param at the time of the report
 * @param staleAfter the configured age at which a member is stale; zero for never
 */
public record GroupReport(FleetLockGroup group, Roster roster, Instant at, Duration staleAfter) {
    /** Whether the group's windows let newcomers in. A pause does not count. */
    public boolean isOpen() {
        return Windows.open(group.windows(), at);
    }

    /** The time at which the next window opens; empty for a group without windows. */
    public Optional<ZonedDateTime> nextOpening() {
        return Windows.nextOpening(group.windows(), at);
    }

    /** The time for which the member has held its slot. */
    public Duration age(Member member) {
        return member.age(at);
    }

    /** Whether the member has held its slot for longer than expected. */
    public boolean isStale(Member member) {
        return member.isStale(staleAfter, at);
    }

    /** The number of stale members. */
    public long stale() {
        return roster.stale(staleAfter, at);
    }
}
