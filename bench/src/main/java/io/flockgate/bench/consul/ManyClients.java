package io.flockgate.bench.consul;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.HdrHistogram.Histogram;

/** Many clients of one gateway, each on a key of its own. */
final class ManyClients {
    private ManyClients() {}

    /**
     * The result; CPU time is of the measured stretch.
     *
     * @param entries of the log
     */
    record ManyClientsResult(
            long pairs,
            long entries,
            Duration wall,
            Histogram times,
            Duration gatewayCpu,
            Duration consulCpu,
            Duration driverCpu) {
        double writesPerPair() {
            return (double) entries / pairs;
        }

        double pairsPerSecond() {
            return pairs * 1e9 / wall.toNanos();
        }

        double micros(Duration cpu) {
            return cpu.toNanos() / 1e3 / pairs;
        }
    }

    /** Runs pairs for a time, after some that do not count. */
    static ManyClientsResult run(
            BenchGateway gateway, Bed bed, int clients, String key, Duration time, RaftMeter meter) {
        try (Pairs pairs = new Pairs(gateway.address(), clients, key)) {
            Histogram unused = pairs.run(time.dividedBy(2));
            Duration gatewayCpu = gateway.cpu();
            Duration consulCpu = bed.cpu();
            Duration driverCpu = Processes.ownCpu();
            RaftMeter.Count count = meter.start();
            long start = System.nanoTime();
            Histogram times = pairs.run(time);
            Duration wall = Duration.ofNanos(System.nanoTime() - start);
            return new ManyClientsResult(
                    times.getTotalCount(),
                    count.entries(0),
                    wall,
                    times,
                    gateway.cpu().minus(gatewayCpu),
                    bed.cpu().minus(consulCpu),
                    Processes.ownCpu().minus(driverCpu));
        }
    }

    /** Waits for the result of another thread. */
    @CanIgnoreReturnValue
    static <T> T result(Future<T> running) {
        try {
            return running.get();
        } catch (InterruptedException e) {
            throw BenchException.interrupted(e);
        } catch (ExecutionException e) {
            throw new BenchException("a client failed: " + e.getMessage(), e);
        }
    }
}
