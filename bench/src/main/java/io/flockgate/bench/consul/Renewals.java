package io.flockgate.bench.consul;

import io.flockgate.bench.Latencies;
import io.flockgate.bench.consul.Client.Kind;
import org.HdrHistogram.Histogram;

/** Renewals of held leases. */
final class Renewals {
    private Renewals() {}

    /**
     * The result.
     *
     * @param entries in Consul's log
     */
    record RenewalsResult(long renewals, long entries, Histogram times) {
        double writesPerRenewal() {
            return (double) entries / renewals;
        }
    }

    static RenewalsResult run(
            BenchGateway gateway, Kind kind, String key, int leaseSeconds, int renewals, RaftMeter meter) {
        try (Client client = new Client(gateway.address())) {
            String token = client.acquire(kind, key, leaseSeconds);
            Histogram times = Latencies.histogram();
            RaftMeter.Count count = meter.start();
            for (int i = 0; i < renewals; i++) {
                long sent = System.nanoTime();
                client.renew(kind, key, token, leaseSeconds);
                Latencies.record(times, System.nanoTime() - sent);
            }
            long entries = count.entries(0);
            client.release(kind, key, token);
            return new RenewalsResult(renewals, entries, times);
        }
    }
}
