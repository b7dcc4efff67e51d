package io.flockgate.bench.load;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;

/** Results as one flat JSON object. */
final class Report {
    private final Map<String, String> fields = new LinkedHashMap<>();

    Report(Measurement measured) {
        fields.put("ops", String.valueOf(measured.pairs()));
        put("ops_per_s", measured.pairsPerSecond());
        put("driver_share", measured.driverShare());
        put("server_busy", measured.serverBusy());
        put("server_us_per_pair", measured.serverMicrosPerPair());
        Histogram handOvers = measured.handOvers();
        if (handOvers.getTotalCount() > 0) {
            put("handoff_p50_us", handOvers.getValueAtPercentile(50) / 1e3);
            put("handoff_p99_us", handOvers.getValueAtPercentile(99) / 1e3);
        }
    }

    /**
     * Adds the cost of held keys.
     *
     * @param empty the same load, measured before on the empty server
     * @param nanos the time that acquiring the keys took
     */
    void addHeld(int keys, long residentKb, long nanos, Measurement empty, Measurement measured) {
        put("fill_s", nanos / 1e9);
        put("bytes_each", residentKb * 1024.0 / keys);
        put("empty_us_per_pair", empty.serverMicrosPerPair());
        put("cost_ratio", measured.serverMicrosPerPair() / empty.serverMicrosPerPair());
    }

    private void put(String name, double value) {
        fields.put(name, String.format(Locale.ROOT, "%.3f", value));
    }

    String json() {
        return fields.entrySet().stream()
                .map(field -> '"' + field.getKey() + "\":" + field.getValue())
                .collect(Collectors.joining(",", "{", "}"));
    }
}
