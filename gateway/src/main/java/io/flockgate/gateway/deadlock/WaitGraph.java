package io.flockgate.gateway.deadlock;

import io.flockgate.gateway.deadlock.Deadlocks.Deadlock;
import io.flockgate.gateway.deadlock.Deadlocks.Link;
import io.flockgate.storage.ClientView;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyDetail;
import io.flockgate.storage.KeyDetail.HolderView;
import io.flockgate.storage.KeyDetail.WaiterView;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

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
    private final boolean byName;
    private final Map<Key, KeyDetail> blocked = new LinkedHashMap<>();
    private final Map<String, Set<Key>> holds = new LinkedHashMap<>();

    /** The places of the stuck parties in the queues of blocked keys. */
    private final Map<String, Map<Key, WaiterView>> waits = new HashMap<>();

    /**
     * @param byName whether clients of one name are one party. Its waits for its own keys do not
     *     count then, because many workers may share a name, which is not a deadlock
     */
    private WaitGraph(List<KeyDetail> keys, boolean byName) {
        this.byName = byName;
        for (KeyDetail detail : keys) {
            Key key = detail.summary().key();
            blocked.put(key, detail);
            detail.holders()
                    .forEach(each -> holds.computeIfAbsent(party(each.client()), ignored -> new HashSet<>())
                            .add(key));
            for (WaiterView each : detail.waiters()) {
                String waiter = party(each.client());
                boolean holder = holds.getOrDefault(waiter, Set.of()).contains(key);
                if (!waiter.isEmpty() && !(byName && holder)) {
                    waits.computeIfAbsent(waiter, ignored -> new LinkedHashMap<>())
                            .putIfAbsent(key, each);
                }
            }
        }
        leaveStuck();
    }

    /** Whether all holders of a key are known, and it has no free slot. */
    static boolean mayBeBlocked(KeyDetail key) {
        return !key.moreHolders() && key.summary().holders() >= key.summary().limit();
    }

    /**
     * The cycles among the clients of these keys, which may be blocked: first those of connections
     * and sessions, then further ones by name.
     */
    static List<Deadlock> deadlocks(List<KeyDetail> keys) {
        List<Deadlock> found = new WaitGraph(keys, false).cycles();
        new WaitGraph(keys, true).cycles().stream().filter(Deadlock::isByName).forEach(found::add);
        return found;
    }

    /** Empty for an unknown client, such as {@code consul lock}, which never counts as stuck. */
    private String party(ClientView client) {
        String name = byName ? client.description().name() : null;
        return name == null ? Deadlocks.connection(client) : name;
    }

    private void leaveStuck() {
        Deque<String> free = new ArrayDeque<>(holds.keySet());
        free.removeAll(waits.keySet());
        while (!free.isEmpty()) {
            for (Key key : holds.getOrDefault(free.remove(), Set.of())) {
                KeyDetail detail = blocked.remove(key);
                for (WaiterView each : detail == null ? List.<WaiterView>of() : detail.waiters()) {
                    String waiter = party(each.client());
                    Map<Key, WaiterView> places = waits.get(waiter);
                    if (places != null && places.remove(key) != null && places.isEmpty()) {
                        waits.remove(waiter);
                        free.add(waiter);
                    }
                }
            }
        }
    }

    /** Walks from each holder on, until a party that a walk has reached before. */
    private List<Deadlock> cycles() {
        List<Deadlock> cycles = new ArrayList<>();
        List<Link> links = new ArrayList<>();
        Map<String, Integer> walked = new HashMap<>();
        for (String start : holds.keySet()) {
            int first = links.size();
            String at = start;
            while (waits.containsKey(at) && walked.putIfAbsent(at, links.size()) == null) {
                links.add(linkAfter(at));
                at = party(links.getLast().waiter().client());
            }
            int begin = walked.getOrDefault(at, -1);
            if (begin >= first) {
                List<Link> cycle = links.subList(begin, links.size());
                Collections.rotate(cycle, 1);
                cycles.add(new Deadlock(cycle));
            }
        }
        return cycles;
    }

    /** The link of a holder of the key that a stuck party waits for. */
    private Link linkAfter(String stuck) {
        Key held = firstWait(stuck).getKey();
        HolderView holder = Objects.requireNonNull(blocked.get(held)).holders().getFirst();
        Map.Entry<Key, WaiterView> wait = firstWait(party(holder.client()));
        return new Link(held, holder, wait.getKey(), wait.getValue());
    }

    private Map.Entry<Key, WaiterView> firstWait(String stuck) {
        return Objects.requireNonNull(waits.get(stuck)).entrySet().iterator().next();
    }
}
