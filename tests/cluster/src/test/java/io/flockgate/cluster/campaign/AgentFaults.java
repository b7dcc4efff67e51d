package io.flockgate.cluster.campaign;

import io.flockgate.cluster.campaign.Disturbance.Kind;
import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.testsupport.FaultyLink;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Faults of the client agent that two gateways share, and of the paths to agents. */
final class AgentFaults {
    private static final int JOINS = 3;

    private final Topology consul;
    private final Gateways gateways;
    private final FaultLog faults;
    private final Chance chance;

    AgentFaults(Topology consul, Gateways gateways, FaultLog faults, long seed) {
        this.consul = consul;
        this.gateways = gateways;
        this.faults = faults;
        this.chance = new Chance(seed, "agent faults");
    }

    Deck deck() {
        return new Deck(
                chance,
                4_000,
                List.of(
                        () -> leave(Kind.AGENT_TERMINATED, consul.client()::terminate),
                        () -> leave(Kind.AGENT_LEFT, this::leave),
                        () -> leaveUnheard(deaf()),
                        () -> refuse(chance.of(Topology.LINKED)),
                        () -> slowDown(chance.of(Topology.LINKED))));
    }

    private Set<Integer> deaf() {
        return chance.percent(50) ? Topology.SHARING : Set.of(chance.of(List.copyOf(Topology.SHARING)));
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
        } catch (IllegalStateException | AssertionError e) {
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
}
