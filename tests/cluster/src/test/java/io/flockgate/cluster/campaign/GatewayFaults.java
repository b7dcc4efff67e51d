package io.flockgate.cluster.campaign;

import io.flockgate.cluster.campaign.Disturbance.Kind;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Faults of gateways, and twice as many of connections. */
final class GatewayFaults {
    private final Gateways gateways;
    private final List<Client> clients;
    private final Duration ttl;
    private final FaultLog faults;
    private final Chance chance;

    GatewayFaults(Gateways gateways, List<Client> clients, Duration ttl, FaultLog faults, long seed) {
        this.gateways = gateways;
        this.clients = clients;
        this.ttl = ttl;
        this.faults = faults;
        this.chance = new Chance(seed, "gateway faults");
    }

    Deck deck() {
        return new Deck(
                chance,
                5_000,
                List.of(
                        () -> kill(any()),
                        () -> pause(any(), Math.toIntExact(2 * ttl.toMillis()) + chance.between(500, 4_000)),
                        () -> pause(any(), chance.between(200, 2_500)),
                        this::cut,
                        this::cut));
    }

    private int any() {
        return chance.between(0, gateways.size() - 1);
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
}
