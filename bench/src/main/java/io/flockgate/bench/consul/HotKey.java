package io.flockgate.bench.consul;

import io.flockgate.bench.HandOverMeter;
import io.flockgate.bench.Latencies;
import io.flockgate.bench.Waiting;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;

/**
 * Clients of several gateways on one key: each repeatedly acquires it, holds it for some
 * milliseconds, and releases it.
 *
 * @param holdMillis the mean hold time; 0 means none
 */
record HotKey(Kind kind, String key, int holdMillis, Duration time) {
    private static final int CLIENTS_EACH = 6;
    private static final int LEASE = 30;

    /**
     * Runs the load, the first part of which is not counted. Returns grants per second, entries in
     * Consul's log per grant, the median milliseconds of one Consul write meanwhile, and those of a
     * hand-over: the median, the 99th percentile, and the median as a multiple of that of a write.
     */
    double[] run(List<GatewayProcess> gateways, Bed bed) {
        HandOverMeter handOvers = new HandOverMeter(kind.limit());
        long end = System.nanoTime() + time.dividedBy(2).plus(time).toNanos();
        BooleanSupplier going = () -> System.nanoTime() < end;
        List<Future<?>> running = new ArrayList<>();
        try (Probe probe = Probe.start(bed);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (GatewayProcess gateway : gateways) {
                for (int i = 0; i < CLIENTS_EACH; i++) {
                    running.add(threads.submit(() -> work(gateway, handOvers, going)));
                }
            }
            Waiting.pause(time.dividedBy(2));
            handOvers.begin();
            long probed = probe.writes();
            Bed.Count count = bed.count();
            long start = System.nanoTime();
            Waiting.pause(time);
            handOvers.end();
            double seconds = (System.nanoTime() - start) / 1e9;
            double entries = count.entries(probe.writes() - probed);
            probe.stop();
            running.forEach(Waiting::result);
            double median = Latencies.millis(handOvers.handOvers(), 50);
            return new double[] {
                handOvers.grants() / seconds,
                entries / handOvers.grants(),
                probe.millis(),
                median,
                Latencies.millis(handOvers.handOvers(), 99),
                median / probe.millis()
            };
        }
    }

    private Void work(GatewayProcess gateway, HandOverMeter handOvers, BooleanSupplier going) throws IOException {
        try (LineClient client = Kind.connect(gateway)) {
            while (going.getAsBoolean()) {
                long sent = System.nanoTime();
                HeldGrant grant = kind.acquire(client, key, LEASE);
                handOvers.granted(sent, System.nanoTime());
                if (holdMillis > 0) {
                    Waiting.pauseMillis(ThreadLocalRandom.current().nextInt(1, 2 * holdMillis));
                }
                handOvers.releasing(System.nanoTime());
                client.release(grant);
            }
            return null;
        }
    }
}
