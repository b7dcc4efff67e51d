package io.flockgate.cli.shared;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationsTest {
    @ParameterizedTest
    @CsvSource({
        "30, PT30S",
        "30s, PT30S",
        "1.5m, PT1M30S",
        "500ms, PT0.5S",
        "0.5ms, PT0.0005S",
        "0, PT0S",
        "1h, PT1H",
        "0.000000001s, PT0.000000001S",
        "999999999h, PT999999999H"
    })
    void aTimeHasAUnit(String text, Duration time) {
        assertThat(Durations.read(text)).contains(time);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "soon", "2d", "-1s", "1 s", "1e3", "1234567890s"})
    void anotherTextIsNoTime(String text) {
        assertThat(Durations.read(text)).isEmpty();
    }

    @Test
    void aLeaseLastsUpToADay() {
        assertThat(Durations.LEASE.parser().apply("1")).contains(Duration.ofSeconds(1));
        assertThat(Durations.LEASE.parser().apply("1440m")).contains(Duration.ofDays(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "500ms", "1.5s", "25h", "366d", "2d", "999999999h", "soon"})
    void anotherTextIsNoLease(String text) {
        assertThat(Durations.LEASE.parser().apply(text)).isEmpty();
    }
}
