package io.flockgate.cluster.campaign;

import io.flockgate.cluster.campaign.Fault.Rule;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/**
 * Checks the rule FENCE for one key: all fences differ; a grant that a client received before
 * another claim was made has the lower fence, disturbed or not; and with one slot, so has the grant
 * that was certainly held before the other was certainly held.
 */
final class FenceCheck {
    private FenceCheck() {}

    private record Granted(Attempt attempt, Call call, List<Holding> holdings) {
        long fence() {
            return call.fence();
        }
    }

    static List<Fault> faults(List<Attempt> ofKey, History history) {
        List<Granted> grants = new ArrayList<>();
        for (Attempt attempt : ofKey) {
            attempt.grant().ifPresent(call -> grants.add(new Granted(attempt, call, Holding.of(attempt, history))));
        }
        List<Fault> faults = new ArrayList<>();
        Map<Long, Attempt> seen = new HashMap<>();
        for (Granted grant : grants) {
            Attempt same = seen.put(grant.fence(), grant.attempt());
            if (same != null) {
                faults.add(new Fault(Rule.FENCE, "twice: " + same + " and " + grant.attempt()));
            }
        }
        rise(grants, each -> each.call().got(), each -> each.attempt().asked(), faults);
        List<Granted> held = grants.stream()
                .filter(each -> each.attempt().limit() == 1 && !each.holdings().isEmpty())
                .toList();
        rise(
                held,
                each -> each.holdings().getLast().to(),
                each -> each.holdings().getFirst().from(),
                faults);
        return faults;
    }

    /** Each grant has a higher fence than all that ended before it began. */
    private static void rise(
            List<Granted> grants, ToLongFunction<Granted> end, ToLongFunction<Granted> begin, List<Fault> faults) {
        List<Granted> byEnd =
                grants.stream().sorted(Comparator.comparingLong(end)).toList();
        List<Granted> byBegin =
                grants.stream().sorted(Comparator.comparingLong(begin)).toList();
        int next = 0;
        Granted highest = null;
        for (Granted late : byBegin) {
            while (next < byEnd.size() && end.applyAsLong(byEnd.get(next)) < begin.applyAsLong(late)) {
                Granted early = byEnd.get(next++);
                if (highest == null || Long.compareUnsigned(early.fence(), highest.fence()) > 0) {
                    highest = early;
                }
            }
            if (highest != null && Long.compareUnsigned(highest.fence(), late.fence()) > 0) {
                faults.add(new Fault(Rule.FENCE, "falls: " + highest.attempt() + " then " + late.attempt()));
            }
        }
    }
}
