package io.flockgate.cluster.campaign;

import io.flockgate.cluster.campaign.Disturbance.Kind;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;

/**
 * Faults of gateways and connections. Each fault occurs once, and the cut of connections twice, in
 * an order shuffled by the seed; then all occur again in a new order.
 */
final class GatewayFaults {
    private enum GatewayFault {
        KILL,
        LONG_PAUSE,
        SHORT_PAUSE,
        CUT
    }

    private static final List<GatewayFault> DECK = List.of(
            GatewayFault.KILL, GatewayFault.LONG_PAUSE, GatewayFault.SHORT_PAUSE, GatewayFault.CUT, GatewayFault.CUT);

    private final Gateways gateways;
    private final List<Client> clients;
    private final Duration ttl;
    private final FaultLog faults;
    private final Chance chance;
    private final Deque<GatewayFault> deck = new ArrayDeque<>();

    GatewayFaults(Gateways gateways, List<Client> clients, Duration ttl, FaultLog faults, long seed) {
        this.gateways = gateways;
        this.clients = clients;
        this.ttl = ttl;
        this.faults = faults;
        this.chance = new Chance(seed, "gateway faults");
    }

    /** One fault, from beginning to end. */
    void next() throws Exception {
        if (deck.isEmpty()) {
            deck.addAll(chance.shuffled(DECK));
        }
        int gateway = chance.between(0, gateways.size() - 1);
        switch (deck.pop()) {
            case KILL -> kill(gateway);
            case LONG_PAUSE -> pause(gateway, Math.toIntExact(2 * ttl.toMillis()) + chance.between(500, 4_000));
            case SHORT_PAUSE -> pause(gateway, chance.between(200, 2_500));
            case CUT -> cut();
        }
    }

    private void kill(int gateway) throws Exception {
        long from = System.nanoTime();
        gateways.process(gateway).kill();
        Thread.sleep(chance.between(0, 3_000));
        gateways.launch(gateway);
        over(Kind.GATEWAY_KILLED, gateway, from);
    }

    private void pause(int gateway, int millis) throws Exception {
        long from = System.nanoTime();
        gateways.process(gateway).pause();
        Thread.sleep(millis);
        gateways.process(gateway).resume();
        over(Kind.GATEWAY_PAUSED, gateway, from);
    }

    private void over(Kind kind, int gateway, long from) throws Exception {
        gateways.awaitReady(gateway);
        faults.add(kind, Set.of(gateway), from);
    }

    private void cut() {
        long from = System.nanoTime();
        for (Client client : clients) {
            if (chance.percent(40)) {
                client.cut();
            }
        }
        faults.add(Kind.CONNECTION_CUT, Set.of(), from);
    }

    /** A period without new faults. */
    void rest() throws InterruptedException {
        Thread.sleep(chance.between(500, 5_000));
    }
}
