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
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

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
    private final Function<ClientView, String> identity;
    private final Map<Key, KeyDetail> blocked = new LinkedHashMap<>();
    private final Map<String, Party> parties = new LinkedHashMap<>();

    /** A client, or all clients of one name. All unknown clients are one that never waits. */
    private static final class Party {
        private final Set<Key> holds = new HashSet<>();

        /** Its places in the queues of blocked keys. It is stuck while there are some. */
        private final Map<Key, WaiterView> waits = new LinkedHashMap<>();

        private boolean walked;

        private Map.Entry<Key, WaiterView> firstWait() {
            return waits.entrySet().iterator().next();
        }
    }

    private WaitGraph(Collection<KeyDetail> keys, Function<ClientView, String> identity) {
        this.identity = identity;
        keys.forEach(each -> blocked.put(each.summary().key(), each));
        blocked.forEach((key, detail) ->
                detail.holders().forEach(each -> party(each.client()).holds.add(key)));
        blocked.forEach(this::addWaiters);
        findBlocked();
    }

    /** Whether all holders of a key are known, and it has no free slot. */
    static boolean mayBeBlocked(KeyDetail key) {
        return !key.moreHolders() && key.summary().holders() >= key.summary().limit();
    }

    /**
     * The cycles among the clients of these keys, which may be blocked: first those of connections
     * and sessions, then further ones by name.
     */
    static List<Deadlock> deadlocks(Collection<KeyDetail> keys) {
        List<Deadlock> found = new WaitGraph(keys, WaitGraph::connection).cycles();
        new WaitGraph(keys, WaitGraph::name)
                .cycles().stream().filter(Deadlock::isByName).forEach(found::add);
        return found;
    }

    /** The connection or session; empty for an unknown client, such as {@code consul lock}. */
    private static String connection(ClientView client) {
        return client.id() == 0 ? "" : "#" + client.id() + "@" + client.process();
    }

    private static String name(ClientView client) {
        return Objects.requireNonNullElseGet(client.description().name(), () -> connection(client));
    }

    private Party party(ClientView client) {
        return parties.computeIfAbsent(identity.apply(client), ignored -> new Party());
    }

    /**
     * Adds the waits that count. A client's wait for a key that another client of its name holds
     * does not: many workers may share a name, which is not a deadlock.
     */
    private void addWaiters(Key key, KeyDetail detail) {
        Map<String, Set<String>> holders = detail.holders().stream()
                .map(HolderView::client)
                .collect(
                        Collectors.groupingBy(identity, Collectors.mapping(WaitGraph::connection, Collectors.toSet())));
        for (WaiterView each : detail.waiters()) {
            String self = connection(each.client());
            Set<String> others = holders.get(identity.apply(each.client()));
            boolean counts = others == null || (!self.isEmpty() && others.equals(Set.of(self)));
            if (counts && !identity.apply(each.client()).isEmpty()) {
                party(each.client()).waits.putIfAbsent(key, each);
            }
        }
    }

    private void findBlocked() {
        Deque<Party> free = new ArrayDeque<>(parties.values());
        free.removeIf(party -> !party.waits.isEmpty());
        while (!free.isEmpty()) {
            for (Key key : free.remove().holds) {
                KeyDetail detail = blocked.remove(key);
                for (WaiterView each : detail == null ? List.<WaiterView>of() : detail.waiters()) {
                    Party party = party(each.client());
                    if (party.waits.remove(key) != null && party.waits.isEmpty()) {
                        free.add(party);
                    }
                }
            }
        }
    }

    /** Walks from each party on, until a party that a walk has reached before. */
    private List<Deadlock> cycles() {
        List<Deadlock> cycles = new ArrayList<>();
        for (Party each : parties.values()) {
            List<Party> path = new ArrayList<>();
            Party at = each;
            while (!at.walked && !at.waits.isEmpty()) {
                at.walked = true;
                path.add(at);
                at = party(holderBefore(at).client());
            }
            int begin = path.indexOf(at);
            if (begin >= 0) {
                cycles.add(new Deadlock(links(path.subList(begin, path.size()))));
            }
        }
        return cycles;
    }

    /** A holder of the key that a stuck party waits for. */
    private HolderView holderBefore(Party stuck) {
        return Objects.requireNonNull(blocked.get(stuck.firstWait().getKey()))
                .holders()
                .getFirst();
    }

    private List<Link> links(List<Party> cycle) {
        List<Link> links = new ArrayList<>();
        Party previous = cycle.getLast();
        for (Party each : cycle) {
            Map.Entry<Key, WaiterView> wait = each.firstWait();
            Key held = previous.firstWait().getKey();
            links.add(new Link(held, holderBefore(previous), wait.getKey(), wait.getValue()));
            previous = each;
        }
        return links;
    }
}
