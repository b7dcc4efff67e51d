package io.flockgate.cluster.campaign;

import io.flockgate.cluster.campaign.Disturbance.Kind;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Collects the disturbances of a run. Thread-safe. */
final class FaultLog {
    private final Set<Integer> all;
    private final Queue<Disturbance> disturbances = new ConcurrentLinkedQueue<>();
    private final Queue<History.Loss> losses = new ConcurrentLinkedQueue<>();

    FaultLog(int members) {
        all = IntStream.range(0, members).boxed().collect(Collectors.toUnmodifiableSet());
    }

    Set<Integer> all() {
        return all;
    }

    void add(Kind kind, Set<Integer> gateways, long from) {
        disturbances.add(new Disturbance(kind, gateways, from, System.nanoTime()));
    }

    /** A gateway has reported the loss of a session. */
    void lost(int gateway, long at) {
        losses.add(new History.Loss(gateway, at));
    }

    List<Disturbance> disturbances() {
        return List.copyOf(disturbances);
    }

    List<History.Loss> losses() {
        return List.copyOf(losses);
    }
}
