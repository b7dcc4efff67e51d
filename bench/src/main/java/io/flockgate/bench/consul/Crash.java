package io.flockgate.bench.consul;

import io.flockgate.bench.Waiting;
import io.flockgate.bench.consul.Client.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** A gateway that dies while its clients hold keys that clients of another gateway wait for. */
final class Crash {
    /** Half of them locks, half semaphores. */
    static final int KEYS = 8;

    /** The lease of a key until all waiters are queued: a short lease might expire before that. */
    private static final int SETTING_UP = 30;

    private Crash() {}

    private static Kind kind(int i) {
        return i % 2 == 0 ? Kind.LOCK : Kind.semaphore(1);
    }

    /** Seconds from the kill to each grant; the leases were renewed just before the kill. */
    static List<Double> run(String launcher, Bed bed, int leaseSeconds, String name) {
        try (BenchGateway survivor = BenchGateway.start(launcher, name + "-survivor", bed.address(1));
                BenchGateway victim = BenchGateway.start(launcher, name + "-victim", bed.address(0));
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Client> holders = new ArrayList<>();
            List<String> tokens = new ArrayList<>();
            for (int i = 0; i < KEYS; i++) {
                holders.add(new Client(victim.address()));
                tokens.add(holders.get(i).acquire(kind(i), name + i, SETTING_UP));
            }
            List<Client> waiters = new ArrayList<>();
            List<Future<Long>> grants = new ArrayList<>();
            for (int i = 0; i < KEYS; i++) {
                int key = i;
                waiters.add(new Client(survivor.address()));
                waiters.get(key).enqueue(kind(key), name + key, SETTING_UP);
                grants.add(threads.submit(() -> granted(waiters.get(key), kind(key), name + key)));
            }
            List<Future<?>> renewed = new ArrayList<>();
            for (int i = 0; i < KEYS; i++) {
                int key = i;
                renewed.add(threads.submit(
                        () -> holders.get(key).renew(kind(key), name + key, tokens.get(key), leaseSeconds)));
            }
            renewed.forEach(Waiting::result);
            long killed = System.nanoTime();
            victim.crash();
            List<Double> seconds = grants.stream()
                    .map(Waiting::result)
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
