package io.flockgate.cluster.campaign;

import io.flockgate.cluster.campaign.Disturbance.Kind;
import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.consul.testbed.ConsulCluster;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;

/**
 * Faults of Consul's servers. Each fault occurs once, in an order shuffled by the seed; then all
 * occur again in a new order.
 */
final class ConsulFaults {
    private enum ConsulFault {
        KILL,
        PAUSE,
        KILL_LEADER,
        PAUSE_LEADER,
        KILL_TWO,
        PAUSE_TWO,
        EMPTY
    }

    private static final int NOTICED_MILLIS = 3_000;

    private final Topology topology;
    private final ConsulCluster consul;
    private final Probes probes;
    private final FaultLog faults;
    private final Chance chance;
    private final Deque<ConsulFault> deck = new ArrayDeque<>();

    ConsulFaults(Topology topology, Probes probes, FaultLog faults, long seed) {
        this.topology = topology;
        this.consul = topology.servers();
        this.probes = probes;
        this.faults = faults;
        this.chance = new Chance(seed, "consul faults");
    }

    /** One fault, from its beginning until Consul accepts writes through all servers again. */
    void next() throws InterruptedException {
        if (deck.isEmpty()) {
            deck.addAll(chance.shuffled(List.of(ConsulFault.values())));
        }
        ConsulFault fault = deck.pop();
        List<ConsulAgent> servers = chance.shuffled(consul.servers());
        switch (fault) {
            case KILL -> kill(Kind.SERVER_KILLED, one(servers.getFirst()), servers.subList(0, 1));
            case PAUSE -> pause(Kind.SERVER_PAUSED, one(servers.getFirst()), servers.subList(0, 1));
            case KILL_LEADER -> kill(Kind.LEADER_KILLED, faults.all(), List.of(consul.awaitLeader()));
            case PAUSE_LEADER -> pause(Kind.LEADER_PAUSED, faults.all(), List.of(consul.awaitLeader()));
            case KILL_TWO -> kill(Kind.QUORUM_LOST, faults.all(), servers.subList(0, 2));
            case PAUSE_TWO -> pause(Kind.QUORUM_LOST, faults.all(), servers.subList(0, 2));
            case EMPTY -> empty(consul.awaitLeader());
        }
    }

    /** The gateways that a fault of this server affects: all of them if it happens to lead. */
    private Set<Integer> one(ConsulAgent server) {
        return consul.awaitLeader() == server ? faults.all() : topology.behind(server);
    }

    private void kill(Kind kind, Set<Integer> gateways, List<ConsulAgent> servers) throws InterruptedException {
        long from = System.nanoTime();
        servers.forEach(ConsulAgent::kill);
        Thread.sleep(chance.between(500, 6_000));
        servers.forEach(ConsulAgent::relaunch);
        over(kind, gateways, from);
    }

    private void pause(Kind kind, Set<Integer> gateways, List<ConsulAgent> servers) throws InterruptedException {
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

    /** A period without new faults. */
    void rest() throws InterruptedException {
        Thread.sleep(chance.between(2_000, 8_000));
    }
}
