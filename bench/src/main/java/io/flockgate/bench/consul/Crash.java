package io.flockgate.bench.consul;

import io.flockgate.bench.consul.Client.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** A gateway that dies while its clients hold keys for which clients of another one wait. */
final class Crash {
    /** Half of them locks, half semaphores. */
    static final int KEYS = 8;

    private final GatewayProcess.Kit kit;
    private final Bed bed;

    Crash(GatewayProcess.Kit kit, Bed bed) {
        this.kit = kit;
        this.bed = bed;
    }

    private static Kind kind(int i) {
        return i % 2 == 0 ? Kind.LOCK : Kind.semaphore(1);
    }

    /** Seconds from the kill to each grant; the leases have just begun anew when it comes. */
    List<Double> run(int leaseSeconds, String name, String... flags) {
        try (GatewayProcess survivor = kit.start(name + "-survivor", bed.address(1), flags);
                GatewayProcess victim = kit.start(name + "-victim", bed.address(0), flags);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Client> holders = new ArrayList<>();
            List<String> tokens = new ArrayList<>();
            for (int i = 0; i < KEYS; i++) {
                holders.add(new Client(victim.address()));
                tokens.add(holders.get(i).acquire(kind(i), name + i, leaseSeconds));
            }
            List<Client> waiters = new ArrayList<>();
            for (int i = 0; i < KEYS; i++) {
                waiters.add(new Client(survivor.address()));
                waiters.get(i).enqueue(kind(i), name + i, 30);
                holders.get(i).renew(kind(i), name + i, tokens.get(i), leaseSeconds);
            }
            List<Future<Long>> grants = new ArrayList<>();
            for (int i = 0; i < KEYS; i++) {
                int key = i;
                grants.add(threads.submit(() -> granted(waiters.get(key), kind(key), name + key)));
            }
            for (int i = 0; i < KEYS; i++) {
                holders.get(i).renew(kind(i), name + i, tokens.get(i), leaseSeconds);
            }
            long killed = System.nanoTime();
            victim.crash();
            List<Double> seconds = grants.stream()
                    .map(ManyClients::result)
                    .map(at -> (at - killed) / 1e9)
                    .toList();
            holders.forEach(Client::close);
            waiters.forEach(Client::close);
            return seconds;
        }
    }

    private static long granted(Client client, Kind kind, String key) {
        String token = client.await(kind, key);
        long now = System.nanoTime();
        client.release(kind, key, token);
        return now;
    }
}
