package io.flockgate.cluster.campaign;

import io.flockgate.cluster.campaign.Disturbance.Trouble;
import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.consul.testbed.ConsulCluster;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;

/** What goes wrong with Consul's servers: each of a deck in turn, shuffled anew by the seed when all had theirs. */
final class ConsulFaults {
    private enum Kind {
        KILL,
        PAUSE,
        KILL_LEADER,
        PAUSE_LEADER,
        KILL_TWO,
        PAUSE_TWO
    }

    private final ConsulCluster consul;
    private final Probes probes;
    private final FaultLog faults;
    private final Chance chance;
    private final Deque<Kind> deck = new ArrayDeque<>();

    ConsulFaults(ConsulCluster consul, Probes probes, FaultLog faults, long seed) {
        this.consul = consul;
        this.probes = probes;
        this.faults = faults;
        this.chance = new Chance(seed, "consul faults");
    }

    /** One fault, from its beginning until Consul takes writes through all servers again. */
    void next() throws InterruptedException {
        if (deck.isEmpty()) {
            deck.addAll(chance.shuffled(List.of(Kind.values())));
        }
        Kind kind = deck.pop();
        List<ConsulAgent> servers = chance.shuffled(consul.servers());
        switch (kind) {
            case KILL -> kill(Trouble.SERVER_KILLED, one(servers.getFirst()), servers.subList(0, 1));
            case PAUSE -> pause(Trouble.SERVER_PAUSED, one(servers.getFirst()), servers.subList(0, 1));
            case KILL_LEADER -> kill(Trouble.LEADER_KILLED, faults.all(), List.of(consul.awaitLeader()));
            case PAUSE_LEADER -> pause(Trouble.LEADER_PAUSED, faults.all(), List.of(consul.awaitLeader()));
            case KILL_TWO -> kill(Trouble.QUORUM_LOST, faults.all(), servers.subList(0, 2));
            case PAUSE_TWO -> pause(Trouble.QUORUM_LOST, faults.all(), servers.subList(0, 2));
        }
    }

    /** A server is everybody's trouble if it happens to lead. */
    private Set<Integer> one(ConsulAgent server) {
        return consul.awaitLeader() == server
                ? faults.all()
                : Set.of(consul.servers().indexOf(server));
    }

    private void kill(Trouble trouble, Set<Integer> gateways, List<ConsulAgent> servers) throws InterruptedException {
        long from = System.nanoTime();
        servers.forEach(ConsulAgent::kill);
        Thread.sleep(chance.between(500, 6_000));
        servers.forEach(ConsulAgent::relaunch);
        over(trouble, gateways, from);
    }

    private void pause(Trouble trouble, Set<Integer> gateways, List<ConsulAgent> servers) throws InterruptedException {
        long from = System.nanoTime();
        servers.forEach(ConsulAgent::pause);
        Thread.sleep(chance.between(500, 9_000));
        servers.forEach(ConsulAgent::resume);
        over(trouble, gateways, from);
    }

    private void over(Trouble trouble, Set<Integer> gateways, long from) throws InterruptedException {
        probes.awaitWrites();
        faults.add(trouble, gateways, from);
    }

    /** A while in which nothing new goes wrong. */
    void rest() throws InterruptedException {
        Thread.sleep(chance.between(2_000, 8_000));
    }
}
