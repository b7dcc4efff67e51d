package io.flockgate.bench.load;

import org.HdrHistogram.Histogram;

/**
 * The result of one measured stretch.
 *
 * @param pairs acquires with their releases
 * @param latency of a round, nanoseconds
 * @param handOffs release sent to next grant received, nanoseconds; empty without a shared key
 * @param serverNanos CPU time of the server, 0 without its process id
 * @param driverNanos CPU time of the driver
 * @param residentKb of the server afterwards, 0 without its process id
 */
record Measurement(
        long pairs,
        long wallNanos,
        Histogram latency,
        Histogram handOffs,
        long serverNanos,
        long driverNanos,
        long residentKb) {

    double serverMicrosPerPair() {
        return serverNanos / 1e3 / pairs;
    }

    double pairsPerSecond() {
        return pairs * 1e9 / wallNanos;
    }

    /** The share of its core that the driver had; well below 1, the machine was busy with something else. */
    double driverShare() {
        return (double) driverNanos / wallNanos;
    }

    double serverBusy() {
        return (double) serverNanos / wallNanos;
    }
}
