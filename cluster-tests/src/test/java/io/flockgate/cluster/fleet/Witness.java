package io.flockgate.cluster.fleet;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counts the machines of each group that may be away, apart from what any server believes. Thread
 * safe.
 */
final class Witness {
    private final Map<String, Integer> slots;
    private final Map<String, Integer> away = new HashMap<>();
    private final Map<String, Integer> most = new TreeMap<>();
    private final List<String> faults = new ArrayList<>();
    private int departures;

    Witness(Map<String, Integer> slots) {
        this.slots = Map.copyOf(slots);
    }

    /** A machine has been told that it may reboot. */
    synchronized void leaves(String group, String id) {
        departures++;
        int now = away.merge(group, 1, Integer::sum);
        most.merge(group, now, Math::max);
        if (now > slots.getOrDefault(group, 0)) {
            faults.add(now + " of " + group + " away, " + id + " the last");
        }
    }

    /** The number of reboots that were permitted. */
    synchronized int departures() {
        return departures;
    }

    /** It is about to say that it is up. */
    synchronized void returns(String group) {
        away.merge(group, -1, Integer::sum);
    }

    /** Anything else that must not be. */
    synchronized void fault(String what) {
        faults.add(what);
    }

    synchronized List<String> faults() {
        return List.copyOf(faults);
    }

    /** The most of each group that were away at a time. */
    synchronized Map<String, Integer> most() {
        return Map.copyOf(most);
    }
}
