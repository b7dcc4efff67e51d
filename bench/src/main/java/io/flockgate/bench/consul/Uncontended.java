package io.flockgate.bench.consul;

import io.flockgate.bench.consul.Client.Kind;
import io.flockgate.bench.load.Latencies;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.HdrHistogram.Histogram;

/** One client, acquire and release over and over. */
final class Uncontended {
    private static final int LEASE = 30;

    private Uncontended() {}

    /**
     * The result.
     *
     * @param entries of the log
     * @param times of a pair
     */
    record UncontendedResult(long pairs, long entries, Duration wall, Histogram times) {
        double writesPerPair() {
            return (double) entries / pairs;
        }

        double pairsPerSecond() {
            return pairs * 1e9 / wall.toNanos();
        }
    }

    /** Runs pairs for a time, after some that do not count. */
    static UncontendedResult run(InetSocketAddress gateway, Kind kind, String key, Duration time, RaftMeter meter) {
        try (Client client = new Client(gateway)) {
            pairs(client, kind, key, time.dividedBy(2), Latencies.histogram());
            RaftMeter.Count count = meter.start();
            Histogram times = Latencies.histogram();
            long start = System.nanoTime();
            pairs(client, kind, key, time, times);
            Duration wall = Duration.ofNanos(System.nanoTime() - start);
            return new UncontendedResult(times.getTotalCount(), count.entries(0), wall, times);
        }
    }

    private static void pairs(Client client, Kind kind, String key, Duration time, Histogram times) {
        long end = System.nanoTime() + time.toNanos();
        for (long now = System.nanoTime(); now < end; now = System.nanoTime()) {
            client.release(kind, key, client.acquire(kind, key, LEASE));
            times.recordValue(Latencies.clamp(System.nanoTime() - now));
        }
    }
}
