package io.flockgate.cluster.campaign;

import io.flockgate.cluster.campaign.Disturbance.Kind;
import java.util.Comparator;
import java.util.List;

/**
 * Everything that was observed in a campaign.
 *
 * @param losses when gateways reported lost sessions in their logs
 * @param last what it took, after all faults, to acquire each key in full
 */
record History(List<Attempt> attempts, List<Disturbance> disturbances, List<Loss> losses, List<Last> last) {
    /** A gateway gave up what it held under a session. */
    record Loss(int gateway, long at) {}

    /** One key, acquired in full after all faults, or not. */
    record Last(String key, long nanos, boolean acquired) {}

    History {
        attempts = List.copyOf(attempts);
        disturbances = List.copyOf(disturbances);
        losses = List.copyOf(losses);
        last = List.copyOf(last);
    }

    boolean isDisturbed(int gateway, long from, long to) {
        return disturbances.stream().anyMatch(each -> each.affects(gateway) && each.overlaps(from, to));
    }

    boolean isDisturbed(long from, long to) {
        return disturbances.stream().anyMatch(each -> !each.excusesNoGap() && each.overlaps(from, to));
    }

    /** Whether a gateway was killed in this time. */
    boolean wasKilled(int gateway, long from, long to) {
        return disturbances.stream()
                .filter(each -> each.kind() == Kind.GATEWAY_KILLED && each.affects(gateway))
                .anyMatch(each -> from <= each.from() && each.from() <= to);
    }

    /** Whether all entries were deleted in this time. */
    boolean wasEmptied(long from, long to) {
        return disturbances.stream().anyMatch(each -> each.kind() == Kind.EMPTIED && each.overlaps(from, to));
    }

    /** Whether a gateway has lost its sessions while its agent was leaving. */
    boolean isAfterALeave(Loss loss) {
        return hasLostItsAgent(loss.gateway(), loss.at(), loss.at());
    }

    /** Whether the agent of a gateway was leaving, or away. */
    boolean hasLostItsAgent(int gateway, long from, long to) {
        return disturbances.stream()
                .filter(Disturbance::endsSessions)
                .anyMatch(each -> each.affects(gateway) && each.overlaps(from, to));
    }

    /**
     * The last time within a span until which Consul may have elected a leader; the beginning of
     * the span if it has not.
     */
    long lastElection(long from, long to) {
        return disturbances.stream()
                .filter(each -> each.mayElect() && each.overlaps(from, to))
                .mapToLong(each -> Math.min(to, each.to()))
                .reduce(from, Math::max);
    }

    /** How much of this time passed without Consul. */
    long withoutConsul(long from, long to) {
        List<Disturbance> without = disturbances.stream()
                .filter(each -> each.kind() == Kind.NO_WRITES || each.kind() == Kind.QUORUM_LOST)
                .sorted(Comparator.comparingLong(Disturbance::from))
                .toList();
        long sum = 0;
        long counted = from;
        for (Disturbance each : without) {
            long end = Math.min(to, each.to());
            sum += Math.max(0, end - Math.max(counted, each.from()));
            counted = Math.max(counted, end);
        }
        return sum;
    }
}
