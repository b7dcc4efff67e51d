package io.flockgate.cluster.campaign;

import io.flockgate.cluster.campaign.Disturbance.Kind;
import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.testsupport.FaultyLink;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;

/**
 * Faults of the client agent that two gateways share, and of the paths to agents. Each fault occurs
 * once, in an order shuffled by the seed; then all occur again in a new order.
 */
final class AgentFaults {
    private enum AgentFault {
        TERMINATE,
        LEAVE,
        LEAVE_UNHEARD,
        REFUSE,
        SLOW
    }

    private static final int JOINS = 3;

    private final Topology consul;
    private final Gateways gateways;
    private final FaultLog faults;
    private final Chance chance;
    private final Deque<AgentFault> deck = new ArrayDeque<>();

    AgentFaults(Topology consul, Gateways gateways, FaultLog faults, long seed) {
        this.consul = consul;
        this.gateways = gateways;
        this.faults = faults;
        this.chance = new Chance(seed, "agent faults");
    }

    /** One fault, from beginning to end. */
    void next() throws InterruptedException {
        if (deck.isEmpty()) {
            deck.addAll(chance.shuffled(List.of(AgentFault.values())));
        }
        int gateway = chance.of(Topology.LINKED);
        switch (deck.pop()) {
            case TERMINATE -> leave(Kind.AGENT_TERMINATED, consul.client()::terminate);
            case LEAVE -> leave(Kind.AGENT_LEFT, this::leave);
            case LEAVE_UNHEARD ->
                leaveUnheard(chance.percent(50) ? Topology.SHARING : Set.of(chance.of(List.copyOf(Topology.SHARING))));
            case REFUSE -> refuse(gateway);
            case SLOW -> slowDown(gateway);
        }
    }

    private void leave() {
        // The agent may end before it has answered its own command line.
        var unused = consul.client().cli("leave");
    }

    private void leave(Kind kind, Runnable leaving) throws InterruptedException {
        ConsulAgent agent = consul.client();
        long from = System.nanoTime();
        leaving.run();
        agent.awaitEnd();
        Thread.sleep(chance.between(0, 3_000));
        comeBack(agent);
        for (int each : Topology.SHARING) {
            gateways.awaitReady(each);
        }
        faults.add(kind, Topology.SHARING, from);
    }

    /**
     * A new leader sometimes misses that the agent has joined, and notices only after a minute. In
     * that case the agent joins again.
     */
    private static void comeBack(ConsulAgent agent) {
        agent.relaunch();
        for (int joined = 1; !isReady(agent, joined == JOINS); joined++) {
            agent.terminate();
            agent.awaitEnd();
            agent.relaunch();
        }
    }

    private static boolean isReady(ConsulAgent agent, boolean last) {
        try {
            agent.awaitReady();
            return true;
        } catch (IllegalStateException e) {
            if (last) {
                throw e;
            }
            return false;
        }
    }

    /** Only a gateway that is not notified of its sessions' end relies on the others' patience. */
    private void leaveUnheard(Set<Integer> deaf) throws InterruptedException {
        List<FaultyLink> links = deaf.stream().map(consul::link).toList();
        leave(Kind.AGENT_LEFT_UNHEARD, () -> {
            links.forEach(FaultyLink::refuse);
            consul.client().terminate();
            consul.client().awaitEnd();
            links.forEach(FaultyLink::mend);
        });
    }

    private void refuse(int gateway) throws InterruptedException {
        long from = System.nanoTime();
        consul.link(gateway).refuse();
        Thread.sleep(chance.between(500, 8_000));
        consul.link(gateway).mend();
        gateways.awaitReady(gateway);
        faults.add(Kind.REFUSED, Set.of(gateway), from);
    }

    private void slowDown(int gateway) throws InterruptedException {
        long from = System.nanoTime();
        consul.link(gateway).delay(Duration.ofMillis(chance.between(20, 100)));
        Thread.sleep(chance.between(3_000, 12_000));
        consul.link(gateway).delay(Duration.ZERO);
        faults.add(Kind.LATENCY, Set.of(), from);
    }

    /** A period without new faults. */
    void rest() throws InterruptedException {
        Thread.sleep(chance.between(500, 4_000));
    }
}
