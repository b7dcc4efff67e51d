package io.flockgate.cluster.campaign;

import io.flockgate.cluster.campaign.Fault.Rule;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Checks the rule ORDER: if one attempt on a key was answered {@code queued} before another one
 * began, the second is not granted while the first waits. A place is lost with the session that
 * keeps it, and a head that does not take a free slot within 2 s loses it too. Therefore the rule
 * does not apply if the first attempt's gateway, or its path to Consul, was disturbed between the
 * {@code queued} and the other's grant.
 */
final class OrderCheck {
    private static final long SUSPECTED_NANOS = Bounds.nanos(6);

    private OrderCheck() {}

    static List<Fault> faults(List<Attempt> ofKey, History history) {
        return overtakes(ofKey, history, false);
    }

    /** The number of overtakings that a disturbance excuses. */
    static long excused(List<Attempt> ofKey, History history) {
        return overtakes(ofKey, history, true).size();
    }

    private static List<Fault> overtakes(List<Attempt> ofKey, History history, boolean disturbed) {
        List<Fault> faults = new ArrayList<>();
        List<Attempt> asking =
                ofKey.stream().sorted(Comparator.comparingLong(Attempt::asked)).toList();
        for (int i = 0; i < asking.size(); i++) {
            Attempt early = asking.get(i);
            Call queued = early.queued().orElse(null);
            if (queued == null) {
                continue;
            }
            long until = early.grant().map(Call::got).orElseGet(early::waitedUntil);
            for (Attempt late : asking.subList(i + 1, asking.size())) {
                if (late.asked() > until) {
                    break;
                }
                Call grant = late.grant().orElse(null);
                if (grant != null
                        && queued.got() < late.asked()
                        && isOvertaken(early, grant)
                        && disturbed == isExcused(early, queued, grant, history)) {
                    faults.add(new Fault(Rule.ORDER, early + " overtaken by " + late));
                }
            }
        }
        return faults;
    }

    /**
     * Other gateways may consider a gateway suspect for some seconds after its agent has come back.
     */
    private static boolean isExcused(Attempt early, Call queued, Call grant, History history) {
        return history.isDisturbed(early.gateway(), queued.sent(), grant.got())
                || history.hasLostItsAgent(early.gateway(), queued.sent() - SUSPECTED_NANOS, grant.got());
    }

    private static boolean isOvertaken(Attempt early, Call late) {
        return early.grant()
                .map(call -> Long.compareUnsigned(call.fence(), late.fence()) > 0)
                .orElseGet(() -> late.got() < early.waitedUntil());
    }
}
