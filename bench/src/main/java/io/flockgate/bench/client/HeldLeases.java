package io.flockgate.bench.client;

import io.flockgate.bench.ProcessMeter;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseProvider;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** Leases of one process, held at once and renewed by the client. */
final class HeldLeases {
    private static final int BATCH = 500;

    private final LeaseProvider leases;
    private final ProcessMeter client = ProcessMeter.self();
    private final ProcessMeter server;

    HeldLeases(LeaseProvider leases, ProcessMeter server) {
        this.leases = leases;
        this.server = server;
    }

    void measure(int number, Duration watched) throws InterruptedException {
        int threadsBefore = threads();
        long start = System.nanoTime();
        List<Lease> held = acquire(number);
        double acquired = (System.nanoTime() - start) / 1e9;
        long clientBefore = client.cpuNanos();
        long serverBefore = server.cpuNanos();
        Thread.sleep(watched);
        double clientPercent = 100.0 * (client.cpuNanos() - clientBefore) / watched.toNanos();
        double serverPercent = 100.0 * (server.cpuNanos() - serverBefore) / watched.toNanos();
        long alive = held.stream().filter(Lease::checkAlive).count();
        System.out.printf(
                "%d leases of 30 s: acquired in %.1f s, %d alive after %d s, CPU client %.2f %%, server %.2f %% of a core, %d threads more, %d MB of heap used%n",
                number,
                acquired,
                alive,
                watched.toSeconds(),
                clientPercent,
                serverPercent,
                threads() - threadsBefore,
                usedMegabytes());
        held.forEach(Lease::close);
    }

    private List<Lease> acquire(int number) {
        List<Lease> held = new ArrayList<>();
        while (held.size() < number) {
            int end = Math.min(number, held.size() + BATCH);
            List<CompletionStage<Boolean>> batch = new ArrayList<>();
            while (held.size() < end) {
                Lease lease = leases.lease("held-" + held.size());
                held.add(lease);
                batch.add(lease.acquire());
            }
            if (!batch.stream().allMatch(stage -> stage.toCompletableFuture().join())) {
                throw new IllegalStateException("another client holds one of the keys");
            }
        }
        return held;
    }

    private static int threads() {
        return ManagementFactory.getThreadMXBean().getThreadCount();
    }

    private static long usedMegabytes() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return (runtime.totalMemory() - runtime.freeMemory()) >> 20;
    }
}
