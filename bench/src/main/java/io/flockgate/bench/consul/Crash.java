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

    /** The lease of a key until all waiters are there: a short lease might run out by then. */
    private static final int SETTING_UP = 30;

    private final BenchGateway.Kit kit;
    private final Bed bed;

    Crash(BenchGateway.Kit kit, Bed bed) {
        this.kit = kit;
        this.bed = bed;
    }

    private static Kind kind(int i) {
        return i % 2 == 0 ? Kind.LOCK : Kind.semaphore(1);
    }

    /** Seconds from the kill to each grant; the leases were renewed just before the kill. */
    List<Double> run(int leaseSeconds, String name, String... flags) {
        try (BenchGateway survivor = kit.start(name + "-survivor", bed.address(1), flags);
                BenchGateway victim = kit.start(name + "-victim", bed.address(0), flags);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Client> holders = new ArrayList<>();
            List<String> tokens = new ArrayList<>();
            for (int i = 0; i < KEYS; i++) {
                holders.add(new Client(victim.address()));
                tokens.add(holders.get(i).acquire(kind(i), name + i, Math.max(leaseSeconds, SETTING_UP)));
            }
            List<Client> waiters = new ArrayList<>();
            for (int i = 0; i < KEYS; i++) {
                waiters.add(new Client(survivor.address()));
                waiters.get(i).enqueue(kind(i), name + i, SETTING_UP);
            }
            List<Future<Long>> grants = new ArrayList<>();
            for (int i = 0; i < KEYS; i++) {
                int key = i;
                grants.add(threads.submit(() -> granted(waiters.get(key), kind(key), name + key)));
            }
            List<Future<?>> renewed = new ArrayList<>();
            for (int i = 0; i < KEYS; i++) {
                int key = i;
                renewed.add(threads.submit(
                        () -> holders.get(key).renew(kind(key), name + key, tokens.get(key), leaseSeconds)));
            }
            renewed.forEach(ManyClients::result);
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
