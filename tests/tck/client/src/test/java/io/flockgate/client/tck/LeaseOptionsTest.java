package io.flockgate.client.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.client.ConnectOptions;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseOptions;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The defaults and bounds of options. */
final class LeaseOptionsTest {
    /** Builds options from names and values, durations as in ISO 8601. */
    private static LeaseOptions built(String given) {
        LeaseOptions.Builder builder = LeaseOptions.named("job");
        for (String option : given.split(" ", -1)) {
            String value = option.substring(option.indexOf('=') + 1);
            switch (option.substring(0, option.indexOf('='))) {
                case "ttl" -> builder.ttl(Duration.parse(value));
                case "renew" -> builder.renewInterval(Duration.parse(value));
                case "timeout" -> builder.requestTimeout(Duration.parse(value));
                case "margin" -> builder.safetyMargin(Duration.parse(value));
                case "drift" -> builder.maxDriftRatio(Double.parseDouble(value));
                case "limit" -> builder.limit(Long.parseLong(value));
                default -> throw new AssertionError("there is no option " + option);
            }
        }
        return builder.build();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "limit=1 | LeaseOptions[name=job, limit=1, ttl=30 s, renewInterval=10 s, requestTimeout=5 s, safetyMargin=3 s]",
                "ttl=PT0.02S | ttl=0.02 s, renewInterval=0.007 s, requestTimeout=0.005 s, safetyMargin=0.005 s",
                "ttl=PT0.999S | ttl=0.999 s, renewInterval=0.333 s, requestTimeout=0.25 s, safetyMargin=0.1 s",
                "ttl=PT1.5S | ttl=1.5 s",
                "ttl=P1D | ttl=86400 s, renewInterval=28800 s, requestTimeout=5 s, safetyMargin=864 s",
                "limit=3 ttl=PT10S | LeaseOptions[name=job, limit=3, ttl=10 s, renewInterval=3.333 s, requestTimeout=2.5 s, safetyMargin=1 s]",
                "timeout=PT1S renew=PT15S | renewInterval=15 s",
                "renew=PT1S timeout=PT10S | requestTimeout=10 s",
                "renew=PT15S timeout=PT10S margin=PT4.999999999S | safetyMargin=5 s",
                "drift=0.01 margin=PT0.3S | safetyMargin=0.3 s",
                "drift=0 margin=PT0S | safetyMargin=0 s",
                "drift=0.2 | safetyMargin=6 s",
                "limit=9223372036854775807 | limit=9223372036854775807"
            })
    void optionsThatFitEachOtherAreReadableInLogs(String given, String shown) {
        assertThat(built(given).toString()).contains(shown);
    }

    @ParameterizedTest
    @CsvSource({
        "ttl=PT0.019999999S, ttl",
        "ttl=PT24H0.000000001S, ttl",
        "ttl=PT-1S, ttl",
        "ttl=PT9223372036854775807S, ttl",
        "timeout=PT1S renew=PT15.000000001S, renewInterval",
        "timeout=PT1S renew=PT30S, renewInterval",
        "renew=PT0S, renewInterval",
        "renew=PT1S timeout=PT10.000000001S, requestTimeout",
        "timeout=PT0S, requestTimeout",
        "renew=PT15S timeout=PT10S margin=PT5S, does not fit",
        "drift=0.01 margin=PT0.299999999S, maxDriftRatio",
        "margin=PT-0.000000001S, safetyMargin",
        "drift=-0.001, maxDriftRatio",
        "drift=0.501, maxDriftRatio",
        "drift=NaN, maxDriftRatio",
        "drift=Infinity, maxDriftRatio",
        "limit=0, limit"
    })
    void otherOptionsAreRefusedWithTheirName(String given, String word) {
        assertThatThrownBy(() -> built(given))
                .isInstanceOf(LeaseConfigException.class)
                .hasMessageContaining(word)
                .hasMessageNotContaining("PT");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a b", "a\tb", "a\nb", "\u0000", "\u007f", "ä", "\ud83d\ude00"})
    void oddNamesAreRefused(String odd) {
        assertThatThrownBy(() -> LeaseOptions.of(odd)).isInstanceOf(LeaseConfigException.class);
        assertThatThrownBy(() -> ConnectOptions.defaults().clientName(odd)).isInstanceOf(LeaseConfigException.class);
    }

    @Test
    void namesHaveALength() {
        assertThat(LeaseOptions.of("x".repeat(200)).name()).hasSize(200);
        assertThatThrownBy(() -> LeaseOptions.of("x".repeat(201)))
                .isInstanceOf(LeaseConfigException.class)
                .hasMessageContaining("201")
                .hasMessageContaining("200");
        assertThat(ConnectOptions.defaults().clientName("x".repeat(128)).clientName())
                .hasSize(128);
        assertThatThrownBy(() -> ConnectOptions.defaults().clientName("x".repeat(129)))
                .isInstanceOf(LeaseConfigException.class);
    }
}
