package io.flockgate.bench.load;

import org.HdrHistogram.Histogram;

/**
 * The result of one measured period.
 *
 * @param pairs acquires with their releases
 * @param handOvers release sent to next grant received, nanoseconds; empty without a hot key
 * @param serverNanos CPU time of the server
 * @param driverNanos CPU time of the driver
 */
record Measurement(long pairs, long wallNanos, Histogram handOvers, long serverNanos, long driverNanos) {

    double serverMicrosPerPair() {
        return serverNanos / 1e3 / pairs;
    }

    double pairsPerSecond() {
        return pairs * 1e9 / wallNanos;
    }

    /**
     * The share of its core that the driver got. A value well below 1 means that the machine was
     * busy with other work.
     */
    double driverShare() {
        return (double) driverNanos / wallNanos;
    }

    double serverBusy() {
        return (double) serverNanos / wallNanos;
    }
}
