package io.flockgate.bench.client;

import io.flockgate.bench.ProcessMeter;
import io.flockgate.client.BlockingLease;
import io.flockgate.client.LeaseProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

/** Callers on virtual threads, each with its own key, that acquire and release without a pause. */
final class ClientPairs {
    private final LeaseProvider leases;
    private final ProcessMeter client = ProcessMeter.self();
    private final ProcessMeter server;
    private final LongAdder pairs = new LongAdder();
    private final AtomicBoolean over = new AtomicBoolean();

    ClientPairs(LeaseProvider leases, ProcessMeter server) {
        this.leases = leases;
        this.server = server;
    }

    void measure(int callers, Duration warmUp, Duration run) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < callers; i++) {
            String key = "pair-" + i;
            threads.add(Thread.ofVirtual().start(() -> call(key)));
        }
        Thread.sleep(warmUp);
        long clientBefore = client.cpuNanos();
        long serverBefore = server.cpuNanos();
        long pairsBefore = pairs.sum();
        long start = System.nanoTime();
        Thread.sleep(run);
        double seconds = (System.nanoTime() - start) / 1e9;
        double done = pairs.sum() - pairsBefore;
        double clientMicros = (client.cpuNanos() - clientBefore) / 1e3 / done;
        double serverMicros = (server.cpuNanos() - serverBefore) / 1e3 / done;
        over.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.printf(
                "%d callers: %.0f pairs/s, CPU a pair: client %.1f us, server %.1f us%n",
                callers, done / seconds, clientMicros, serverMicros);
    }

    private void call(String key) {
        try (BlockingLease lease = new BlockingLease(leases.lease(key))) {
            while (!over.get()) {
                if (lease.acquire(Duration.ZERO).isEmpty()) {
                    throw new IllegalStateException("another client holds " + key);
                }
                lease.release();
                pairs.increment();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
