package io.flockgate.cluster.campaign;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;

/** Acquires each key in full after all faults, its slots through all gateways in turn. */
final class FinalCheck {
    private final List<IntSupplier> gateways;
    private final Duration bound;

    FinalCheck(List<IntSupplier> gateways, Duration ttl) {
        this.gateways = gateways;
        this.bound = Bounds.ofTtl(ttl).recovery();
    }

    List<History.Last> results(List<KeySpec> keys) throws IOException {
        List<History.Last> results = new ArrayList<>();
        for (KeySpec key : keys) {
            results.add(result(key));
        }
        return results;
    }

    /** Each slot has its own connection, whose end releases it. */
    private History.Last result(KeySpec key) throws IOException {
        List<Connection> connections = new ArrayList<>();
        long start = System.nanoTime();
        boolean acquired = true;
        try {
            for (int i = 0; i < key.limit(); i++) {
                Connection connection = Connection.to(gateways, i % gateways.size());
                connections.add(connection);
                String argument = bound.toSeconds() + " " + key.limitField() + 60;
                acquired &= Answer.of(connection.ask(key.command("l"), key.name(), argument)) == Answer.GRANTED;
            }
            return new History.Last(key.name(), System.nanoTime() - start, acquired);
        } finally {
            connections.forEach(each -> each.end(false));
        }
    }
}
