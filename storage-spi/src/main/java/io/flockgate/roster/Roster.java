package io.flockgate.roster;

import io.flockgate.roster.JoinOutcome.AlreadyMember;
import io.flockgate.roster.JoinOutcome.Joined;
import io.flockgate.roster.JoinOutcome.Refused;
import io.flockgate.roster.LeaveOutcome.Left;
import io.flockgate.roster.LeaveOutcome.Unchanged;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The members of one group, and the rules of joining and leaving it (FleetLock, "Semantics"). A set and no count: whoever
 * joins twice has one slot, and gives it back by leaving once. Immutable; time is an argument.
 *
 * @param lastFence the highest fence that a member of this group has ever had; 0 when there was none
 * @param pause empty unless an operator has paused the group
 * @param members by name
 */
public record Roster(long lastFence, Optional<Pause> pause, SortedMap<String, Member> members) {
    /** A member that asks again is noted no more often than this: each note is a write. */
    public static final Duration SEEN_RESOLUTION = Duration.ofMinutes(1);

    /** Of a group that nobody has ever joined. */
    public static final Roster EMPTY = new Roster(0, Optional.empty(), new TreeMap<>());

    public Roster {
        members = Collections.unmodifiableSortedMap(new TreeMap<>(members));
    }

    /**
     * Membership comes before everything else: a member that asks again is never refused, also where the group is paused,
     * closed or has more members than slots.
     *
     * @param gateway the node name of the gateway that decides
     */
    public Step<JoinOutcome> join(Newcomer newcomer, Terms terms, String gateway, Instant now) {
        Member member = members.get(newcomer.id());
        if (member != null) {
            return seen(member, now);
        }
        Refused refusal = refusal(terms);
        if (refusal != null) {
            return new Step<>(refusal, this);
        }
        Member joined = new Member(newcomer.id(), lastFence + 1, now, now, newcomer.address(), gateway);
        return new Step<>(new Joined(joined), with(joined));
    }

    private Step<JoinOutcome> seen(Member member, Instant now) {
        if (Duration.between(member.lastSeen(), now).compareTo(SEEN_RESOLUTION) < 0) {
            return new Step<>(new AlreadyMember(member), this);
        }
        Member noted = member.seen(now);
        return new Step<>(new AlreadyMember(noted), with(noted));
    }

    private @Nullable Refused refusal(Terms terms) {
        if (pause.isPresent()) {
            return Refused.PAUSED;
        }
        if (!terms.open()) {
            return Refused.CLOSED;
        }
        return members.size() >= terms.slots() ? Refused.FULL : null;
    }

    /** Leaving is always possible; who is no member has left. */
    public Step<LeaveOutcome> leave(Departure departure) {
        Member member = members.get(departure.id());
        if (member == null) {
            return new Step<>(Unchanged.NOT_MEMBER, this);
        }
        if (departure.fence().isPresent() && departure.fence().getAsLong() != member.fence()) {
            return new Step<>(Unchanged.OTHER_FENCE, this);
        }
        return new Step<>(new Left(member), without(member.id()));
    }

    /** Lets nobody join from now on. A group that is paused already stays so since then, for the new reason. */
    public Roster paused(String reason, Instant now) {
        Instant since = pause.map(Pause::since).orElse(now);
        Pause wanted = new Pause(since, reason);
        return pause.filter(wanted::equals).isPresent() ? this : new Roster(lastFence, Optional.of(wanted), members);
    }

    /** Ends a pause. */
    public Roster resumed() {
        return pause.isEmpty() ? this : new Roster(lastFence, Optional.empty(), members);
    }

    /** How many members are {@linkplain Member#isStale stale}. */
    public long stale(Duration staleAfter, Instant now) {
        return members.values().stream()
                .filter(member -> member.isStale(staleAfter, now))
                .count();
    }

    /** With this member, in place of one of the same name. */
    public Roster with(Member member) {
        SortedMap<String, Member> more = new TreeMap<>(members);
        more.put(member.id(), member);
        return new Roster(Math.max(lastFence, member.fence()), pause, more);
    }

    /** Without the member of this name. */
    public Roster without(String id) {
        SortedMap<String, Member> fewer = new TreeMap<>(members);
        fewer.remove(id);
        return new Roster(lastFence, pause, fewer);
    }
}
