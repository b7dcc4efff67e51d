package io.flockgate.cluster.campaign;

import io.flockgate.cluster.Seconds;
import io.flockgate.cluster.campaign.Fault.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Finds what is wrong with a history; pure. {@link Rule} states each rule briefly; what it demands
 * exactly is stated where it is checked.
 */
final class HistoryCheck {
    private HistoryCheck() {}

    /** Empty when nothing is wrong. A history without a grant shows nothing, and is wrong. */
    static List<Fault> faults(History history, Bounds bounds) {
        List<Fault> faults = new ArrayList<>();
        if (history.attempts().stream().noneMatch(each -> each.grant().isPresent())) {
            faults.add(new Fault(Rule.SOMETHING, "nothing was granted"));
        }
        Map<String, List<Attempt>> byKey = history.attempts().stream().collect(Collectors.groupingBy(Attempt::key));
        for (List<Attempt> ofKey : byKey.values()) {
            faults.addAll(LimitCheck.faults(ofKey, history));
            faults.addAll(FenceCheck.faults(ofKey, history));
            faults.addAll(OrderCheck.faults(ofKey, history));
            faults.addAll(GapCheck.faults(ofKey, history, bounds));
        }
        history.attempts().forEach(each -> faults.addAll(CallCheck.faults(each, history, bounds)));
        faults.addAll(needlessLosses(history, bounds));
        for (History.Last each : history.last()) {
            if (!each.acquired()) {
                faults.add(new Fault(
                        Rule.LIVENESS, "%s not free after %.1f s".formatted(each.key(), Seconds.of(each.nanos()))));
            }
        }
        return faults;
    }

    /**
     * A session ends only after its gateway, or its path to Consul, was disturbed within twice the
     * session's time.
     */
    private static List<Fault> needlessLosses(History history, Bounds bounds) {
        long before = bounds.ttl().multipliedBy(2).plusSeconds(2).toNanos();
        return history.losses().stream()
                .filter(each -> !history.isDisturbed(each.gateway(), each.at() - before, each.at()))
                .map(each ->
                        new Fault(Rule.LOSS, "gateway %d at %.3f".formatted(each.gateway(), Seconds.of(each.at()))))
                .toList();
    }
}
