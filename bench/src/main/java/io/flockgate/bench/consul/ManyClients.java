package io.flockgate.bench.consul;

import io.flockgate.bench.PairClients;
import io.flockgate.bench.ProcessMeter;
import java.time.Duration;
import org.HdrHistogram.Histogram;

/**
 * Clients of one gateway, each on its own lock; CPU times are those of the measured period, in
 * nanoseconds.
 *
 * @param entries in Consul's log
 */
record ManyClients(long entries, long wallNanos, Histogram times, long gatewayCpu, long consulCpu, long driverCpu) {
    /** Runs pairs for the given time, after a warm-up that is not counted. */
    static ManyClients run(BenchGateway gateway, Bed bed, int count, String key, Duration time, RaftMeter meter) {
        ProcessMeter own = ProcessMeter.self();
        try (PairClients clients = PairClients.of(gateway.address(), count, key)) {
            Histogram unused = clients.measure(time.dividedBy(2));
            long gatewayCpu = gateway.cpuNanos();
            long consulCpu = bed.cpuNanos();
            long driverCpu = own.cpuNanos();
            RaftMeter.Count entries = meter.start();
            long start = System.nanoTime();
            Histogram times = clients.measure(time);
            long wall = System.nanoTime() - start;
            return new ManyClients(
                    entries.entries(0),
                    wall,
                    times,
                    gateway.cpuNanos() - gatewayCpu,
                    bed.cpuNanos() - consulCpu,
                    own.cpuNanos() - driverCpu);
        }
    }

    double writesPerPair() {
        return (double) entries / times.getTotalCount();
    }

    double pairsPerSecond() {
        return times.getTotalCount() * 1e9 / wallNanos;
    }

    /** Microseconds per pair. */
    double micros(long cpu) {
        return cpu / 1e3 / times.getTotalCount();
    }
}
