package io.flockgate.bench.load;

import org.HdrHistogram.Histogram;

/** Histograms of nanoseconds: three significant digits, up to an hour. */
final class Latency {
    private static final long MAX = 3_600_000_000_000L;

    private Latency() {}

    static Histogram histogram() {
        return new Histogram(MAX, 3);
    }

    static long clamp(long nanos) {
        return Math.clamp(nanos, 0, MAX);
    }
}
