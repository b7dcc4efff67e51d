package io.flockgate.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.bench.Latencies;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class ReportTest {
    private static Measurement measurement(Histogram handOvers, long serverNanos) {
        return new Measurement(100, 2_000_000_000L, handOvers, serverNanos, 1_900_000_000L);
    }

    @Test
    void handOversAreAddedWhereThereAreSome() {
        Histogram handOvers = Latencies.histogram();
        for (int i = 1; i <= 100; i++) {
            Latencies.record(handOvers, i * 1_000L);
        }

        assertThat(new Report(measurement(handOvers, 1_500_000)).json())
                .isEqualTo("{\"ops\":100,\"ops_per_s\":50.000,\"driver_share\":0.950,\"server_busy\":0.001,"
                        + "\"server_us_per_pair\":15.000,\"handoff_p50_us\":50.015,\"handoff_p99_us\":99.007}");
    }

    @Test
    void heldKeysAddTheirMemoryAndTheRatioOfTheCosts() {
        Measurement empty = measurement(Latencies.histogram(), 1_500_000);
        Measurement held = measurement(Latencies.histogram(), 1_650_000);
        Report report = new Report(held);
        report.addHeld(1000, 200, 3_000_000_000L, empty, held);

        assertThat(report.json())
                .endsWith("\"server_us_per_pair\":16.500,\"fill_s\":3.000,\"bytes_each\":204.800,"
                        + "\"empty_us_per_pair\":15.000,\"cost_ratio\":1.100}");
    }
}
