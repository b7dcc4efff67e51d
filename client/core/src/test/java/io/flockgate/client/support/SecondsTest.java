package io.flockgate.client.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SecondsTest {
    @ParameterizedTest
    @CsvSource({"PT5S, within 5 s", "PT0.2504S, within 0.25 s", "PT0.001S, within 0.001 s", "PT0.000211532S, in time"})
    void theTimeOfAnAnswerIsToldInMilliseconds(Duration time, String words) {
        assertThat(Seconds.within(time)).isEqualTo(words);
    }
}
