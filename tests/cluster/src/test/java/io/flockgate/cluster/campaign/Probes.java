package io.flockgate.cluster.campaign;

import io.flockgate.cluster.campaign.Disturbance.Kind;
import io.flockgate.testsupport.HttpCall;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

/** Measures when Consul accepts writes through each agent, and when this machine stalls. */
final class Probes {
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final int PAUSE_MILLIS = 200;
    private static final long TOO_LONG_NANOS = TimeUnit.MILLISECONDS.toNanos(1_200);
    private static final int TICK_MILLIS = 100;
    private static final long STALL_NANOS = TimeUnit.MILLISECONDS.toNanos(1_000);

    /** An agent, and the gateways that use it. */
    private record Target(URI agent, Set<Integer> gateways) {}

    private final List<Target> targets = new ArrayList<>();
    private final int servers;
    private final FaultLog faults;
    private final AtomicLongArray lastGood;
    private final List<Worker> workers = new ArrayList<>();

    Probes(Topology topology, FaultLog faults) {
        List<URI> addresses = topology.servers().addresses();
        for (int i = 0; i < addresses.size(); i++) {
            targets.add(new Target(addresses.get(i), Topology.SHARING.contains(i) ? Set.of() : Set.of(i)));
        }
        this.servers = targets.size();
        targets.add(new Target(topology.client().address(), Topology.SHARING));
        this.faults = faults;
        this.lastGood = new AtomicLongArray(targets.size());
    }

    void start() {
        for (int i = 0; i < targets.size(); i++) {
            int target = i;
            lastGood.set(i, System.nanoTime());
            workers.add(Worker.start("probe " + i, () -> probe(target)));
        }
        workers.add(Worker.start("stalls", this::tick));
    }

    private void probe(int target) throws InterruptedException {
        long sent = System.nanoTime();
        if (writes(target)) {
            long since = lastGood.getAndSet(target, sent);
            if (System.nanoTime() - since > TOO_LONG_NANOS) {
                faults.add(Kind.NO_WRITES, targets.get(target).gateways(), since);
            }
        }
        Thread.sleep(PAUSE_MILLIS);
    }

    private boolean writes(int target) {
        try {
            String path = "/v1/kv/probe/" + target;
            HttpCall.ask(targets.get(target).agent(), "PUT", path, Long.toString(System.nanoTime()), PATIENCE);
            return true;
        } catch (IllegalStateException e) {
            return false;
        }
    }

    private void tick() throws InterruptedException {
        long before = System.nanoTime();
        Thread.sleep(TICK_MILLIS);
        if (System.nanoTime() - before > STALL_NANOS) {
            faults.add(Kind.STALL, faults.all(), before);
        }
    }

    /** Waits until writes sent from now on have succeeded through every agent. */
    void awaitWrites() throws InterruptedException {
        awaitWrites(targets.size());
    }

    /** Waits like {@link #awaitWrites}, for the servers alone. */
    void awaitServers() throws InterruptedException {
        awaitWrites(servers);
    }

    private void awaitWrites(int first) throws InterruptedException {
        long from = System.nanoTime();
        long giveUp = from + TimeUnit.MINUTES.toNanos(1);
        for (int i = 0; i < first; i++) {
            while (lastGood.get(i) - from < 0) {
                if (System.nanoTime() - giveUp > 0) {
                    throw new AssertionError(
                            "Consul takes no writes through " + targets.get(i).agent());
                }
                Thread.sleep(PAUSE_MILLIS / 4);
            }
        }
    }

    void stop() throws InterruptedException {
        for (Worker worker : workers) {
            worker.stop();
        }
    }
}
