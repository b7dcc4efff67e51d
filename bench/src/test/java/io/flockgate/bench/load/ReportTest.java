package io.flockgate.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class ReportTest {
    private static Settings settings(Mode mode, boolean shared, long pid) {
        return new Settings(
                mode,
                Protocol.LINE,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 6388),
                4,
                50,
                0,
                10,
                0,
                "bench",
                shared,
                1,
                1,
                30,
                10,
                1000,
                pid,
                null);
    }

    private static Histogram upTo(int count, long unit) {
        Histogram histogram = Latencies.histogram();
        for (int i = 1; i <= count; i++) {
            histogram.recordValue(i * unit);
        }
        return histogram;
    }

    private static Measurement measurement(Histogram handOffs, long serverNanos) {
        return new Measurement(100, 2_000_000_000L, upTo(100, 1_000_000), handOffs, serverNanos, 1_900_000_000L, 2048);
    }

    @Test
    void latenciesAreMillisecondsWithThreeDecimals() {
        Outcome outcome = new Outcome(settings(Mode.CYCLE, false, 0), measurement(Latencies.histogram(), 0), null);

        assertThat(new Report(outcome).text().lines())
                .first()
                .isEqualTo("cycle: 4 workers x 50 rounds, key 'bench' (unique), 1 connection per worker,"
                        + " transport tcp (line)");
        assertThat(new Report(outcome).text().lines().skip(1).map(line -> line.replaceAll(" +", " ")))
                .satisfiesExactly(
                        line -> assertThat(line).isEqualTo("total ops 100"),
                        line -> assertThat(line).isEqualTo("wall time 2.000 s"),
                        line -> assertThat(line).isEqualTo("throughput 50.0 ops/s"),
                        line -> assertThat(line).matches("mean 50\\.[45]\\d\\d ms"),
                        line -> assertThat(line).matches("min (1\\.000|0\\.999) ms"),
                        line -> assertThat(line).matches("max 100\\.0\\d\\d ms"),
                        line -> assertThat(line).matches("p50 50\\.0\\d\\d ms"),
                        line -> assertThat(line).matches("p99 99\\.0\\d\\d ms"),
                        line -> assertThat(line).matches("stdev 28\\.8\\d\\d ms"),
                        line -> assertThat(line).isEqualTo("driver share 95.0 %"));
    }

    @Test
    void handOffsAndTheServersCostAreAddedWhereKnown() {
        Outcome outcome = new Outcome(settings(Mode.HOT, true, 7), measurement(upTo(100, 1_000), 1_500_000), null);

        String text = new Report(outcome).text().replaceAll(" +", " ");
        assertThat(text)
                .contains("key 'bench' (shared)")
                .contains("hand-offs 100\n")
                .contains("hand-off p50 50.0 µs\n")
                .contains("server cpu 15.000 µs per pair\n")
                .contains("server busy 0.1 %\n")
                .contains("server rss 2.0 MB\n");
    }

    @Test
    void jsonIsOneFlatObjectWithTheSameFigures() {
        Measurement held = measurement(Latencies.histogram(), 1_650_000);
        Measurement empty = measurement(Latencies.histogram(), 1_500_000);
        Outcome.Burden burden = new Outcome.Burden(1000, empty, 3_000_000_000L, 1000, 1200);

        String json = new Report(new Outcome(settings(Mode.KEYS, false, 7), held, burden)).json();

        assertThat(json)
                .startsWith("{\"mode\":\"keys\",\"protocol\":\"line\",\"workers\":4,")
                .contains("\"ops\":100,\"wall_s\":2.000,\"ops_per_s\":50.000,")
                .contains("\"burden\":1000,\"fill_s\":3.000,")
                .contains("\"server_us_per_pair\":16.500,")
                .contains("\"bytes_each\":204.800,\"empty_us_per_pair\":15.000,\"cost_ratio\":1.100}")
                .doesNotContain("handoff");
    }
}
