package io.flockgate.gateway.deadlock;

import io.flockgate.gateway.deadlock.Deadlock.Link;
import io.flockgate.storage.ClientView;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyDetail;
import io.flockgate.storage.KeyDetail.HolderView;
import io.flockgate.storage.KeyDetail.WaiterView;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The clients that hold keys and wait for keys at one moment. Clients form one party by their
 * connection or session, or by their name. All work is linear in the number of grants and places.
 *
 * <ol>
 *   <li>Initially, each key without a free slot counts as blocked if all its holders are known.
 *   <li>A party is stuck if it waits for a blocked key.
 *   <li>A key with a holder that is not stuck is not blocked, so fewer parties are stuck, and so
 *       on.
 *   <li>Each of the remaining parties waits for a holder that waits, so a walk from one to the next
 *       ends in a cycle.
 * </ol>
 */
final class WaitGraph {
    private final Function<ClientView, @Nullable String> identity;
    private final Map<Key, KeyDetail> keys = new LinkedHashMap<>();
    private final Map<String, Party> parties = new LinkedHashMap<>();
    private final Map<Key, List<Party>> waiting = new HashMap<>();
    private final Set<Key> blocked = new HashSet<>();

    /** A grant. */
    private record Hold(Key key, HolderView view) {}

    /** A place in a queue. */
    private record Wait(Key key, WaiterView view) {}

    /** A client, or all clients of one name. */
    private static final class Party {
        final List<Hold> holds = new ArrayList<>();
        final List<Wait> waits = new ArrayList<>();

        /** The waits for keys that are still blocked. */
        int blockedWaits;

        boolean walked;
    }

    private WaitGraph(Collection<KeyDetail> details, Function<ClientView, @Nullable String> identity) {
        this.identity = identity;
        for (KeyDetail each : details) {
            if (mayBeBlocked(each)) {
                keys.put(each.summary().key(), each);
            }
        }
        keys.forEach(this::addHolders);
        keys.forEach(this::addWaiters);
    }

    /** Whether all holders of a key are known, and it has no free slot. */
    static boolean mayBeBlocked(KeyDetail key) {
        return !key.moreHolders() && key.summary().holders() >= key.summary().limit();
    }

    /**
     * The cycles among the clients of these keys: first those of connections and sessions, then
     * further ones by name.
     */
    static List<Deadlock> deadlocks(Collection<KeyDetail> keys) {
        List<Deadlock> found = new ArrayList<>(new WaitGraph(keys, WaitGraph::connection).cycles());
        for (Deadlock each : new WaitGraph(keys, WaitGraph::name).cycles()) {
            if (each.isByName()) {
                found.add(each);
            }
        }
        return found;
    }

    /** The connection or session; null for an unknown client, such as {@code consul lock}. */
    private static @Nullable String connection(ClientView client) {
        return client.id() == 0 ? null : "#" + client.id() + "@" + client.process();
    }

    private static @Nullable String name(ClientView client) {
        String name = client.description().name();
        return name == null ? connection(client) : name;
    }

    private @Nullable Party party(ClientView client) {
        String id = identity.apply(client);
        return id == null ? null : parties.computeIfAbsent(id, ignored -> new Party());
    }

    private void addHolders(Key key, KeyDetail detail) {
        for (HolderView holder : detail.holders()) {
            Party party = party(holder.client());
            if (party != null) {
                party.holds.add(new Hold(key, holder));
            }
        }
    }

    private void addWaiters(Key key, KeyDetail detail) {
        IdentityHashMap<Party, Set<String>> holders = new IdentityHashMap<>();
        for (HolderView each : detail.holders()) {
            Party party = party(each.client());
            if (party != null) {
                boolean unused = holders.computeIfAbsent(party, ignored -> new HashSet<>())
                        .add(String.valueOf(connection(each.client())));
            }
        }
        List<Party> waiters = new ArrayList<>();
        for (WaiterView each : detail.waiters()) {
            Party party = party(each.client());
            if (party != null && counts(each, holders.get(party))) {
                party.waits.add(new Wait(key, each));
                waiters.add(party);
            }
        }
        waiting.put(key, waiters);
    }

    /**
     * Whether a party's wait counts. A client's wait for its own name does not: many workers may
     * share a name, which is not a deadlock.
     *
     * @param holders the party's connections and sessions that hold the key; null for none
     */
    private static boolean counts(WaiterView waiter, @Nullable Set<String> holders) {
        String self = connection(waiter.client());
        return holders == null || (self != null && holders.equals(Set.of(self)));
    }

    private List<Deadlock> cycles() {
        findBlocked();
        List<Deadlock> cycles = new ArrayList<>();
        for (Party each : parties.values()) {
            List<Link> cycle = each.blockedWaits > 0 && !each.holds.isEmpty() ? walk(each) : List.of();
            if (!cycle.isEmpty()) {
                cycles.add(new Deadlock(cycle));
            }
        }
        return cycles;
    }

    private void findBlocked() {
        blocked.addAll(keys.keySet());
        Deque<Key> free = new ArrayDeque<>();
        parties.values().forEach(each -> each.blockedWaits = each.waits.size());
        for (Key key : keys.keySet()) {
            if (!allStuck(key)) {
                free.add(key);
                blocked.remove(key);
            }
        }
        while (!free.isEmpty()) {
            for (Party each : waiting.getOrDefault(free.remove(), List.of())) {
                each.blockedWaits--;
                if (each.blockedWaits == 0) {
                    unblock(each, free);
                }
            }
        }
    }

    /** The party is not stuck, so the keys that it holds are not blocked. */
    private void unblock(Party party, Deque<Key> free) {
        for (Hold each : party.holds) {
            if (blocked.remove(each.key())) {
                free.add(each.key());
            }
        }
    }

    private KeyDetail detail(Key key) {
        return Objects.requireNonNull(keys.get(key));
    }

    private boolean allStuck(Key key) {
        for (HolderView each : detail(key).holders()) {
            Party party = party(each.client());
            if (party == null || party.blockedWaits == 0) {
                return false;
            }
        }
        return true;
    }

    /** The cycle at the end of a walk; empty if another walk has already been there. */
    private List<Link> walk(Party from) {
        List<Party> path = new ArrayList<>();
        List<Wait> steps = new ArrayList<>();
        Party at = from;
        while (!at.walked) {
            at.walked = true;
            path.add(at);
            Wait next = nextWait(at);
            steps.add(next);
            at = holder(next.key());
        }
        int begin = path.indexOf(at);
        return begin < 0 ? List.of() : links(path.subList(begin, path.size()), steps.subList(begin, steps.size()));
    }

    private Wait nextWait(Party party) {
        return party.waits.stream()
                .filter(each -> blocked.contains(each.key()))
                .findFirst()
                .orElseThrow();
    }

    /** A party that holds a blocked key. */
    private Party holder(Key key) {
        Party party = party(detail(key).holders().getFirst().client());
        if (party == null) {
            throw new IllegalStateException("a blocked key has known holders");
        }
        return party;
    }

    private static List<Link> links(List<Party> path, List<Wait> steps) {
        List<Link> links = new ArrayList<>();
        for (int i = 0; i < path.size(); i++) {
            Key held = steps.get((i + steps.size() - 1) % steps.size()).key();
            Hold hold = path.get(i).holds.stream()
                    .filter(each -> each.key().equals(held))
                    .findFirst()
                    .orElseThrow();
            Wait step = steps.get(i);
            links.add(new Link(held, hold.view(), step.key(), step.view()));
        }
        return links;
    }
}
