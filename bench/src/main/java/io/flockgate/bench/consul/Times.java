package io.flockgate.bench.consul;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** Histograms of nanoseconds: three significant digits, up to an hour. */
final class Times {
    private static final long MOST = TimeUnit.HOURS.toNanos(1);

    private Times() {}

    static Histogram histogram() {
        return new Histogram(MOST, 3);
    }

    static long clamp(long nanos) {
        return Math.clamp(nanos, 0, MOST);
    }

    static double millis(Histogram histogram, double percentile) {
        return histogram.getTotalCount() == 0 ? Double.NaN : histogram.getValueAtPercentile(percentile) / 1e6;
    }
}
