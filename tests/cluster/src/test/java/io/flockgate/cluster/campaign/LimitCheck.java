package io.flockgate.cluster.campaign;

import io.flockgate.cluster.Seconds;
import io.flockgate.cluster.campaign.Fault.Rule;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Checks the rule LIMIT: a key never has more certain holders than its limit. */
final class LimitCheck {
    private record Edge(long at, boolean begins, Attempt attempt) {}

    private LimitCheck() {}

    static List<Fault> faults(List<Attempt> ofKey, History history) {
        List<Edge> changes = new ArrayList<>();
        for (Attempt attempt : ofKey) {
            for (Holding holding : Holding.of(attempt, history)) {
                changes.add(new Edge(holding.from(), true, attempt));
                changes.add(new Edge(holding.to(), false, attempt));
            }
        }
        // Ends come first among simultaneous edges, because only certain holders count.
        changes.sort(Comparator.comparingLong(Edge::at).thenComparing(Edge::begins));
        List<Fault> faults = new ArrayList<>();
        Set<Attempt> holders = new LinkedHashSet<>();
        for (Edge change : changes) {
            if (!change.begins()) {
                holders.remove(change.attempt());
            } else if (holders.add(change.attempt())
                    && holders.size() > change.attempt().limit()) {
                faults.add(
                        new Fault(Rule.LIMIT, "at %.3f: %s".formatted(Seconds.of(change.at()), List.copyOf(holders))));
            }
        }
        return faults;
    }
}
