package io.flockgate.roster.tck;

import io.flockgate.roster.Departure;
import io.flockgate.roster.DepartureOutcome;
import io.flockgate.roster.DepartureOutcome.Left;
import io.flockgate.roster.DepartureOutcome.Unchanged;
import io.flockgate.roster.JoinOutcome;
import io.flockgate.roster.JoinOutcome.AlreadyMember;
import io.flockgate.roster.JoinOutcome.Joined;
import io.flockgate.roster.JoinOutcome.Refused;
import io.flockgate.roster.Member;
import io.flockgate.roster.Newcomer;
import io.flockgate.roster.Roster;
import io.flockgate.roster.Roster.Pause;
import io.flockgate.roster.RosterStorage;
import io.flockgate.roster.Terms;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageException.FailureKind;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A second implementation of rosters, as plain as possible and without the rules of {@link Roster}.
 * It may have a fault.
 */
final class PlainRosters implements RosterStorage {
    private static final class Group {
        long fences;
        long firstLimit;
        Optional<Pause> pause = Optional.empty();
        final Map<String, Member> members = new LinkedHashMap<>();
        final Map<String, Integer> holds = new HashMap<>();
    }

    private final PlainRosterHarness harness;
    private final RosterFault fault;
    private final Map<String, Group> groups = new HashMap<>();
    private boolean closed;
    private int calls;

    PlainRosters(PlainRosterHarness harness, RosterFault fault) {
        this.harness = harness;
        this.fault = fault;
    }

    private boolean has(RosterFault which) {
        return fault == which;
    }

    private synchronized <T> Future<T> call(Supplier<T> work) {
        if (closed && !has(RosterFault.CLOSED_GOES_ON)) {
            return Future.failedFuture(new StorageException(FailureKind.CLOSED, Effect.NOT_DONE, "closed"));
        }
        calls++;
        if (calls > 50 && has(RosterFault.CALLS_UNDER_WAY_ARE_DROPPED)) {
            return Promise.<T>promise().future();
        }
        return Future.succeededFuture(work.get());
    }

    private Group group(String name) {
        String known = has(RosterFault.LOWERS_CASE_OF_GROUPS) ? name.toLowerCase(Locale.ROOT) : name;
        return groups.computeIfAbsent(known, ignored -> new Group());
    }

    private String idOf(String id) {
        String trimmed = has(RosterFault.TRIMS_IDS) ? id.strip() : id;
        return has(RosterFault.LOWERS_CASE_OF_IDS) ? trimmed.toLowerCase(Locale.ROOT) : trimmed;
    }

    @Override
    public Future<JoinOutcome> join(String name, Newcomer newcomer, Terms terms) {
        return call(() -> {
            Group group = group(name);
            if (has(RosterFault.MEMBERS_EXPIRE)) {
                group.members
                        .values()
                        .removeIf(old -> old.lastSeen().plusSeconds(900).isBefore(harness.now()));
            }
            String id = idOf(newcomer.id());
            Member member = group.members.get(id);
            Refused refusal = refusal(group, terms);
            if (member != null && (refusal == null || !refusesMembers(refusal))) {
                return again(group, member, terms);
            }
            if (refusal != null) {
                return refusal;
            }
            return joined(group, id, newcomer);
        });
    }

    private Joined joined(Group group, String id, Newcomer newcomer) {
        group.fences++;
        String address = has(RosterFault.FORGETS_ADDRESSES) ? "" : newcomer.address();
        Member joined = new Member(id, group.fences, harness.now(), harness.now(), address, harness.gateway());
        group.members.put(id, joined);
        group.holds.put(id, 1);
        return new Joined(joined);
    }

    private JoinOutcome again(Group group, Member member, Terms terms) {
        if (has(RosterFault.ASKING_AGAIN_IS_JOINING_ANEW)) {
            return joined(group, member.id(), new Newcomer(member.id(), member.address()));
        }
        group.holds.merge(member.id(), 1, Integer::sum);
        boolean late = !harness.now().isBefore(member.lastSeen().plus(Roster.SEEN_RESOLUTION));
        boolean note = (late && !has(RosterFault.NOTES_NOBODY_WHO_ASKS_AGAIN))
                || (terms.slots() > 0 && has(RosterFault.NOTES_EVERYBODY_WHO_ASKS_AGAIN));
        if (!note) {
            return new AlreadyMember(member);
        }
        Member seen = new Member(
                member.id(), member.fence(), member.since(), harness.now(), member.address(), member.gateway());
        group.members.put(member.id(), seen);
        return new AlreadyMember(seen);
    }

    private boolean refusesMembers(Refused refusal) {
        return switch (refusal) {
            case FULL -> has(RosterFault.MEMBERS_ARE_REFUSED_WHEN_FULL);
            case CLOSED -> has(RosterFault.MEMBERS_ARE_REFUSED_WHEN_CLOSED);
            case PAUSED -> has(RosterFault.MEMBERS_ARE_REFUSED_WHEN_PAUSED);
        };
    }

    private @Nullable Refused refusal(Group group, Terms terms) {
        if (group.firstLimit == 0) {
            group.firstLimit = terms.slots();
        }
        long slots = has(RosterFault.LIMIT_IS_THE_FIRST_ONE) ? group.firstLimit : terms.slots();
        slots = has(RosterFault.ONE_SLOT_TOO_MANY) ? slots + 1 : slots;
        boolean anyPaused = groups.values().stream().anyMatch(each -> each.pause.isPresent());
        if (has(RosterFault.PAUSE_IS_FOR_ALL_GROUPS) ? anyPaused : group.pause.isPresent()) {
            return Refused.PAUSED;
        }
        if (!terms.open()) {
            return Refused.CLOSED;
        }
        return group.members.size() >= slots ? Refused.FULL : null;
    }

    @Override
    public Future<DepartureOutcome> leave(String name, Departure departure) {
        return call(() -> {
            Group group = group(name);
            String id = idOf(departure.id());
            Member member = group.members.get(id);
            if (member == null && has(RosterFault.ANYBODY_FREES_A_SLOT)) {
                group.members.clear();
            }
            if (member == null || (group.pause.isPresent() && has(RosterFault.PAUSE_STOPS_LEAVING))) {
                return Unchanged.NOT_MEMBER;
            }
            boolean other = departure.fence().isPresent() && departure.fence().getAsLong() != member.fence();
            if (other && !has(RosterFault.LEAVES_WITHOUT_ASKING_THE_FENCE)) {
                return Unchanged.OTHER_FENCE;
            }
            if (group.holds.merge(id, -1, Integer::sum) > 0 && has(RosterFault.COUNTS_HOLDS)) {
                return new Left(member);
            }
            group.members.remove(id);
            if (has(RosterFault.FENCES_START_ANEW_WITH_THE_GROUP)) {
                group.fences = 0;
            }
            return new Left(member);
        });
    }

    @Override
    public Future<Roster> read(String name) {
        return call(() -> roster(group(name)));
    }

    private Roster roster(Group group) {
        var order = has(RosterFault.LISTS_IN_ORDER_OF_ARRIVAL)
                ? Comparator.<String>reverseOrder()
                : Comparator.<String>naturalOrder();
        var members = new TreeMap<String, Member>(order);
        members.putAll(group.members);
        return new Roster(group.fences, group.pause, members);
    }

    @Override
    public Future<Map<String, Roster>> readAll() {
        return call(() -> groups.entrySet().stream()
                .filter(each -> has(RosterFault.FORGETS_GROUPS_WITHOUT_MEMBERS)
                        ? !each.getValue().members.isEmpty()
                        : each.getValue().fences > 0 || each.getValue().pause.isPresent())
                .collect(Collectors.toMap(Map.Entry::getKey, each -> roster(each.getValue()))));
    }

    @Override
    public Future<Roster> pause(String name, String reason) {
        return call(() -> {
            Group group = group(name);
            boolean anew = group.pause.isEmpty() || has(RosterFault.PAUSE_BEGINS_ANEW);
            group.pause = Optional.of(
                    new Pause(anew ? harness.now() : group.pause.orElseThrow().since(), reason));
            return roster(group);
        });
    }

    @Override
    public Future<Roster> resume(String name) {
        return call(() -> {
            group(name).pause = Optional.empty();
            return roster(group(name));
        });
    }

    /** The storage after a crash, with the faults that a crash brings out. */
    synchronized PlainRosters crashed() {
        PlainRosters after = new PlainRosters(harness, fault);
        groups.forEach((name, group) -> {
            Group kept = after.group(name);
            kept.members.putAll(group.members);
            kept.holds.putAll(group.holds);
            kept.fences = has(RosterFault.FENCES_ARE_LOST_IN_A_CRASH) ? 0 : group.fences;
            kept.pause = has(RosterFault.PAUSE_IS_LOST_IN_A_CRASH) ? Optional.empty() : group.pause;
            if (has(RosterFault.LEAVING_IS_LOST_IN_A_CRASH) && group.fences > group.members.size()) {
                kept.members.put("b", new Member("b", 2, harness.now(), harness.now(), "", ""));
            }
        });
        return after;
    }

    @Override
    public Optional<String> failureReason() {
        return Optional.empty();
    }

    @Override
    public synchronized Future<Void> close() {
        closed = true;
        return Future.succeededFuture();
    }
}
