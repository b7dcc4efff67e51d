package io.flockgate.bench;

import org.HdrHistogram.Histogram;

/** Histograms of nanoseconds: three significant digits, up to an hour. */
public final class Latencies {
    private static final long MAX = 3_600_000_000_000L;

    private Latencies() {}

    public static Histogram histogram() {
        return new Histogram(MAX, 3);
    }

    public static void record(Histogram histogram, long nanos) {
        histogram.recordValue(Math.clamp(nanos, 0, MAX));
    }

    /** The value at a percentile in milliseconds; NaN for an empty histogram. */
    public static double millis(Histogram histogram, double percentile) {
        return histogram.getTotalCount() == 0 ? Double.NaN : histogram.getValueAtPercentile(percentile) / 1e6;
    }
}
