package io.flockgate.bench.consul;

import io.flockgate.bench.Waiting;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
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

    /** Seconds from the kill to each grant; the leases were renewed just before the kill. */
    static List<Double> run(Bed bed, int leaseSeconds, String name) throws IOException, InterruptedException {
        try (GatewayProcess survivor = bed.gateway(1, name + "-survivor");
                GatewayProcess victim = bed.gateway(0, name + "-victim");
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Long>> grants = new ArrayList<>();
            List<Future<?>> renewed = new ArrayList<>();
            for (int i = 0; i < KEYS; i++) {
                Kind kind = i % 2 == 0 ? Kind.LOCK : Kind.semaphore(1);
                LineClient holder = Kind.connect(victim);
                HeldGrant grant = kind.acquire(holder, name + i, SETTING_UP);
                LineClient waiter = Kind.connect(survivor);
                kind.enqueue(waiter, name + i, SETTING_UP);
                grants.add(threads.submit(() -> granted(waiter, kind, grant.key())));
                renewed.add(threads.submit(() -> {
                    Kind.renew(holder, grant, leaseSeconds);
                    return null;
                }));
            }
            renewed.forEach(Waiting::result);
            long killed = System.nanoTime();
            victim.kill();
            List<Double> seconds = grants.stream()
                    .map(Waiting::result)
                    .map(at -> (at - killed) / 1e9)
                    .toList();
            survivor.stop();
            return seconds;
        }
    }

    private static long granted(LineClient waiter, Kind kind, String key) throws IOException {
        try (waiter) {
            HeldGrant grant = kind.await(waiter, key);
            long now = System.nanoTime();
            waiter.release(grant);
            return now;
        }
    }
}
