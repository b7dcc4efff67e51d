package io.flockgate.roster;

import io.flockgate.roster.Roster.DepartureOutcome.Left;
import io.flockgate.roster.Roster.DepartureOutcome.Unchanged;
import io.flockgate.roster.Roster.JoinOutcome.AlreadyMember;
import io.flockgate.roster.Roster.JoinOutcome.Joined;
import io.flockgate.roster.Roster.JoinOutcome.Refused;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The members of one group, and the rules of joining and leaving it (protocol-docs/fleetlock.md,
 * "Semantics"). Members are a set: a member that joins twice has one slot, and releases it by
 * leaving once. Immutable; time is an argument.
 *
 * @param lastFence the highest fence that a member of this group has ever had; 0 if there was none
 * @param pause empty unless an operator has paused the group
 * @param members by id
 */
public record Roster(long lastFence, Optional<Pause> pause, SortedMap<String, Member> members) {
    /**
     * The minimum time between two updates of the time of a member's last request, because each
     * update is a write.
     */
    public static final Duration SEEN_RESOLUTION = Duration.ofMinutes(1);

    /** The roster of a group that has never had a member. */
    public static final Roster EMPTY = new Roster(0, Optional.empty(), new TreeMap<>());

    public Roster {
        members = Collections.unmodifiableSortedMap(new TreeMap<>(members));
    }

    /**
     * Admits a newcomer if the terms allow it. A member that requests again is never refused, even
     * if the group is paused, is closed, or has more members than slots.
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

    /**
     * Removes a member, which is always possible. Removing an id that is not a member changes
     * nothing.
     */
    public Step<DepartureOutcome> leave(Departure departure) {
        Member member = members.get(departure.id());
        if (member == null) {
            return new Step<>(Unchanged.NOT_MEMBER, this);
        }
        if (departure.fence().isPresent() && departure.fence().getAsLong() != member.fence()) {
            return new Step<>(Unchanged.OTHER_FENCE, this);
        }
        return new Step<>(new Left(member), without(member.id()));
    }

    /**
     * Pauses the group. A group that is already paused keeps the time of its pause, and gets the
     * new reason.
     */
    public Roster paused(String reason, Instant now) {
        Instant since = pause.map(Pause::since).orElse(now);
        Pause wanted = new Pause(since, reason);
        return pause.filter(wanted::equals).isPresent() ? this : new Roster(lastFence, Optional.of(wanted), members);
    }

    /** Ends a pause. */
    public Roster resumed() {
        return pause.isEmpty() ? this : new Roster(lastFence, Optional.empty(), members);
    }

    /**
     * The number of {@linkplain Member#isStale stale} members. Event loops count those of all
     * groups, so a member costs no more than a comparison.
     */
    public long stale(Duration staleAfter, Instant now) {
        Instant begin = Member.staleBefore(staleAfter, now);
        long stale = 0;
        for (Member member : members.values()) {
            stale += member.since().isBefore(begin) ? 1 : 0;
        }
        return stale;
    }

    /** The roster with this member, in place of any with the same id. */
    public Roster with(Member member) {
        SortedMap<String, Member> more = new TreeMap<>(members);
        more.put(member.id(), member);
        return new Roster(Math.max(lastFence, member.fence()), pause, more);
    }

    /** The roster without the member with this id. */
    public Roster without(String id) {
        SortedMap<String, Member> fewer = new TreeMap<>(members);
        fewer.remove(id);
        return new Roster(lastFence, pause, fewer);
    }

    /**
     * A decision on a roster.
     *
     * @param outcome the answer to the call
     * @param after the roster to store; the same object as before if there is nothing to store
     */
    public record Step<T>(T outcome, Roster after) {}

    /**
     * An operator's order to admit no further newcomers to a group.
     *
     * @param since the time of the first such order
     * @param reason the operator's words; may be empty
     */
    public record Pause(Instant since, String reason) {}

    /** The outcome of a request to leave. */
    public sealed interface DepartureOutcome {
        /** The member has left, durably. */
        record Left(Member member) implements DepartureOutcome {}

        /** Nothing has changed. */
        enum Unchanged implements DepartureOutcome {
            /** No member has this id. */
            NOT_MEMBER,
            /** The member with this id has another fence than the request names. */
            OTHER_FENCE
        }
    }

    /**
     * A request that a member leaves.
     *
     * @param id the member's id
     * @param fence a condition: the member leaves only with this fence, because it may have left
     *     and joined again meanwhile
     */
    public record Departure(String id, OptionalLong fence) {
        /** The departure of the member with this id, whatever its fence. */
        public static Departure of(String id) {
            return new Departure(id, OptionalLong.empty());
        }
    }

    /** The outcome of a request to join. */
    public sealed interface JoinOutcome {
        /** The newcomer has a slot, durably. */
        record Joined(Member member) implements JoinOutcome {}

        /** The newcomer had a slot before, and keeps it whatever the terms. */
        record AlreadyMember(Member member) implements JoinOutcome {}

        /** The newcomer has no slot. */
        enum Refused implements JoinOutcome {
            /** An operator has paused the group. */
            PAUSED,
            /** The terms admit no newcomers now. */
            CLOSED,
            /** The group has as many members as the terms allow, or more. */
            FULL
        }
    }

    /**
     * The configuration of a group at the moment of a decision. It is never stored, because the
     * next decision may have other terms.
     *
     * @param slots the maximum number of members of the group, at least 1
     * @param open whether newcomers may join now; members are not affected
     */
    public record Terms(long slots, boolean open) {
        public Terms {
            if (slots < 1) {
                throw new IllegalArgumentException("a group has at least one slot");
            }
        }
    }

    /**
     * A machine that requests a slot.
     *
     * @param id any non-empty text; the protocol may be stricter
     * @param address the address from which the machine sends its request; empty if it is not known
     */
    public record Newcomer(String id, String address) {}
}
