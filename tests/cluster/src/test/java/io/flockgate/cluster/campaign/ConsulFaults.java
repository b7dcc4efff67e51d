package io.flockgate.cluster.campaign;

import io.flockgate.cluster.campaign.Disturbance.Kind;
import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.consul.testbed.ConsulCluster;
import java.util.List;
import java.util.Set;

/** Faults of Consul's servers, each until Consul accepts writes through all servers again. */
final class ConsulFaults {
    private static final int NOTICED_MILLIS = 3_000;

    private final Topology topology;
    private final ConsulCluster consul;
    private final Probes probes;
    private final FaultLog faults;
    private final Chance chance;

    ConsulFaults(Topology topology, Probes probes, FaultLog faults, long seed) {
        this.topology = topology;
        this.consul = topology.servers();
        this.probes = probes;
        this.faults = faults;
        this.chance = new Chance(seed, "consul faults");
    }

    Deck deck() {
        return new Deck(
                chance,
                8_000,
                List.of(
                        () -> kill(Kind.SERVER_KILLED, any(1)),
                        () -> pause(Kind.SERVER_PAUSED, any(1)),
                        () -> kill(Kind.LEADER_KILLED, List.of(consul.awaitLeader())),
                        () -> pause(Kind.LEADER_PAUSED, List.of(consul.awaitLeader())),
                        () -> kill(Kind.QUORUM_LOST, any(2)),
                        () -> pause(Kind.QUORUM_LOST, any(2)),
                        () -> empty(consul.awaitLeader())));
    }

    private List<ConsulAgent> any(int count) {
        return chance.shuffled(consul.servers()).subList(0, count);
    }

    /** The gateways that a fault affects: all of them, unless it hits one server that follows. */
    private Set<Integer> affected(List<ConsulAgent> servers) {
        boolean follower = servers.size() == 1 && consul.awaitLeader() != servers.getFirst();
        return follower ? topology.behind(servers.getFirst()) : faults.all();
    }

    private void kill(Kind kind, List<ConsulAgent> servers) throws InterruptedException {
        Set<Integer> gateways = affected(servers);
        long from = System.nanoTime();
        servers.forEach(ConsulAgent::kill);
        Thread.sleep(chance.between(500, 6_000));
        servers.forEach(ConsulAgent::relaunch);
        over(kind, gateways, from);
    }

    private void pause(Kind kind, List<ConsulAgent> servers) throws InterruptedException {
        Set<Integer> gateways = affected(servers);
        long from = System.nanoTime();
        servers.forEach(ConsulAgent::pause);
        Thread.sleep(chance.between(500, 9_000));
        servers.forEach(ConsulAgent::resume);
        over(kind, gateways, from);
    }

    /** Members notice within the time of a blocking read, and make their record again. */
    private void empty(ConsulAgent server) throws InterruptedException {
        long from = System.nanoTime();
        topology.deleteEntries(server);
        Thread.sleep(NOTICED_MILLIS);
        over(Kind.EMPTIED, faults.all(), from);
    }

    private void over(Kind kind, Set<Integer> gateways, long from) throws InterruptedException {
        probes.awaitServers();
        faults.add(kind, gateways, from);
    }
}
