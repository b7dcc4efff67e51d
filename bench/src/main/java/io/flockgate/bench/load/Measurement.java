package io.flockgate.bench.load;

import java.util.LinkedHashMap;
import java.util.Map;
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

    /**
     * The figures by their names. A {@code driver_share} well below 1 means that the machine was
     * busy with other work.
     */
    Map<String, Double> figures() {
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("ops_per_s", pairs * 1e9 / wallNanos);
        figures.put("driver_share", (double) driverNanos / wallNanos);
        figures.put("server_busy", (double) serverNanos / wallNanos);
        figures.put("server_us_per_pair", serverMicrosPerPair());
        if (handOvers.getTotalCount() > 0) {
            figures.put("handoff_p50_us", handOvers.getValueAtPercentile(50) / 1e3);
            figures.put("handoff_p99_us", handOvers.getValueAtPercentile(99) / 1e3);
        }
        return figures;
    }
}
