package io.flockgate.bench.consul;

import io.flockgate.bench.HandOverMeter;
import io.flockgate.bench.Latencies;
import io.flockgate.bench.Waiting;
import io.flockgate.bench.consul.Client.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import org.HdrHistogram.Histogram;

/**
 * Clients of several gateways on one key: each repeatedly acquires it, holds it for some
 * milliseconds, and releases it.
 */
final class HotKey {
    private static final int CLIENTS_EACH = 6;
    private static final int LEASE = 30;

    private HotKey() {}

    /**
     * The result.
     *
     * @param handOvers in nanoseconds
     * @param entries in Consul's log
     * @param writeMillis the median time of one Consul write during the load
     */
    record HotKeyResult(long grants, Histogram handOvers, long entries, long wallNanos, double writeMillis) {
        double writesPerGrant() {
            return (double) entries / grants;
        }

        double grantsPerSecond() {
            return grants * 1e9 / wallNanos;
        }

        /** The median hand-over time as a multiple of the median write time. */
        double handOverInWrites() {
            return Latencies.millis(handOvers, 50) / writeMillis;
        }
    }

    /**
     * What the clients do.
     *
     * @param holdMillis the mean hold time; 0 means none
     */
    record Load(Kind kind, String key, int holdMillis, Duration time) {}

    /** Runs a load, the first part of which is not counted. */
    static HotKeyResult run(List<BenchGateway> gateways, Bed bed, Load load, RaftMeter meter) {
        HandOverMeter handOvers = new HandOverMeter(load.kind().limit());
        long end =
                System.nanoTime() + load.time().dividedBy(2).plus(load.time()).toNanos();
        BooleanSupplier going = () -> System.nanoTime() < end;
        List<Future<?>> running = new ArrayList<>();
        try (Probe probe = Probe.start(bed);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (BenchGateway gateway : gateways) {
                for (int i = 0; i < CLIENTS_EACH; i++) {
                    running.add(threads.submit(() -> work(gateway, load, handOvers, going)));
                }
            }
            Waiting.pause(load.time().dividedBy(2));
            handOvers.begin();
            long probed = probe.writes();
            RaftMeter.Count count = meter.start();
            long start = System.nanoTime();
            Waiting.pause(load.time());
            handOvers.end();
            long wall = System.nanoTime() - start;
            long entries = count.entries(probe.writes() - probed);
            probe.stop();
            running.forEach(Waiting::result);
            return new HotKeyResult(handOvers.grants(), handOvers.handOvers(), entries, wall, probe.millis());
        }
    }

    private static void work(BenchGateway gateway, Load load, HandOverMeter handOvers, BooleanSupplier going) {
        try (Client client = new Client(gateway.address())) {
            while (going.getAsBoolean()) {
                long sent = System.nanoTime();
                String token = client.acquire(load.kind(), load.key(), LEASE);
                handOvers.granted(sent, System.nanoTime());
                if (load.holdMillis() > 0) {
                    Waiting.pauseMillis(ThreadLocalRandom.current().nextInt(1, 2 * load.holdMillis()));
                }
                handOvers.releasing(System.nanoTime());
                client.release(load.kind(), load.key(), token);
            }
        }
    }
}
