package io.flockgate.gateway.fleetlock;

import io.flockgate.roster.Member;
import io.flockgate.roster.Roster;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.util.Optional;

/**
 * What an operator can see of a group.
 *
 * @param at when it was so
 * @param staleAfter as configured; zero for never
 */
public record GroupReport(FleetLockGroup group, Roster roster, Instant at, Duration staleAfter) {
    /** Whether the group's windows let newcomers in; a pause is another matter. */
    public boolean isOpen() {
        return Windows.open(group.windows(), at);
    }

    /** When its next window opens; empty while one is open, and without any. */
    public Optional<ZonedDateTime> nextOpening() {
        return isOpen() ? Optional.empty() : Windows.nextOpening(group.windows(), at);
    }

    /** How long the member has had its slot. */
    public Duration age(Member member) {
        return member.age(at);
    }

    /** Whether the member has had its slot for longer than is expected. */
    public boolean isStale(Member member) {
        return member.isStale(staleAfter, at);
    }

    /** How many such members there are. */
    public long stale() {
        return roster.stale(staleAfter, at);
    }
}
