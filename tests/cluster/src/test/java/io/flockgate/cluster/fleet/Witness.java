package io.flockgate.cluster.fleet;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counts the machines of each group that may be away, independently of any server's view.
 * Thread-safe.
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

    /** A machine has been permitted to reboot. */
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

    /** A machine is about to report that it is up. */
    synchronized void returns(String group) {
        away.merge(group, -1, Integer::sum);
    }

    /** Any other violation. */
    synchronized void fault(String what) {
        faults.add(what);
    }

    synchronized List<String> faults() {
        return List.copyOf(faults);
    }

    /** The maximum number of machines of each group that were away at the same time. */
    synchronized Map<String, Integer> most() {
        return Map.copyOf(most);
    }
}
