package io.flockgate.bench.consul;

import io.flockgate.bench.consul.Client.Kind;
import org.HdrHistogram.Histogram;

/** Renewals of leases that are held. */
final class Renewals {
    private Renewals() {}

    /**
     * What they came to.
     *
     * @param entries of the log
     */
    record Result(long renewals, long entries, Histogram times) {
        double writesPerRenewal() {
            return (double) entries / renewals;
        }
    }

    static Result run(GatewayProcess gateway, Kind kind, String key, int leaseSeconds, int renewals, RaftMeter meter) {
        try (Client client = new Client(gateway.address())) {
            String token = client.acquire(kind, key, leaseSeconds);
            Histogram times = Times.histogram();
            RaftMeter.Count count = meter.start();
            for (int i = 0; i < renewals; i++) {
                long sent = System.nanoTime();
                client.renew(kind, key, token, leaseSeconds);
                times.recordValue(Times.clamp(System.nanoTime() - sent));
            }
            long entries = count.entries(0);
            client.release(kind, key, token);
            return new Result(renewals, entries, times);
        }
    }
}
