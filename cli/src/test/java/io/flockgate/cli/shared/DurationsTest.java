package io.flockgate.cli.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
        "0, PT0S",
        "1h, PT1H",
        "0.000000001s, PT0.000000001S",
        "999999999h, PT999999999H"
    })
    void aTimeHasAUnit(String text, Duration time) {
        assertThat(Durations.of("--wait", text, "30s")).isEqualTo(time);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "soon", "2d", "-1s", "1 s", "1e3", "1234567890s"})
    void anotherTextIsRefusedWithTimesThatTheOptionAccepts(String text) {
        assertThatThrownBy(() -> Durations.of("--wait", text, "30s, 5m, 0 or forever"))
                .isInstanceOf(CommandException.class)
                .hasMessage("--wait must be a time like 30s, 5m, 0 or forever (got \"%s\")", text);
    }

    @Test
    void aLeaseLastsUpToADay() {
        assertThat(Durations.wholeSeconds("--lease", "1")).isEqualTo(Duration.ofSeconds(1));
        assertThat(Durations.wholeSeconds("--lease", "1440m")).isEqualTo(Duration.ofDays(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "500ms", "1.5s", "25h", "366d", "2d", "999999999h", "soon"})
    void anotherLeaseIsRefusedWithTheRange(String text) {
        assertThatThrownBy(() -> Durations.wholeSeconds("--for", text))
                .isInstanceOf(CommandException.class)
                .hasMessage("--for must be whole seconds from 1s to 24h, like 30s, 5m or 1h (got \"%s\")", text);
    }
}
