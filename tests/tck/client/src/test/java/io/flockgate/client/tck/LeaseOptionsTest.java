package io.flockgate.client.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.client.ConnectOptions;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseOptions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The defaults and bounds of options. */
final class LeaseOptionsTest {
    private static final Duration LEAST = Duration.ofMillis(20);
    private static final Duration MOST = Duration.ofDays(1);

    private static LeaseOptions.Builder job() {
        return LeaseOptions.named("job");
    }

    private static void refused(LeaseOptions.Builder builder, String word) {
        assertThatThrownBy(builder::build)
                .isInstanceOf(LeaseConfigException.class)
                .hasMessageContaining(word)
                .hasMessageContaining(" s")
                .hasMessageNotContaining("PT");
    }

    @Test
    void theDefaultsFitEachOther() {
        LeaseOptions options = LeaseOptions.of("job");

        assertThat(options.ttl()).isEqualTo(Duration.ofSeconds(30));
        assertThat(options.renewInterval()).isEqualTo(Duration.ofSeconds(10));
        assertThat(options.requestTimeout()).isEqualTo(Duration.ofSeconds(5));
        assertThat(options.safetyMargin()).isEqualTo(Duration.ofSeconds(3));
        assertThat(options.limit()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(longs = {20, 21, 100, 400, 999, 1000, 4000, 86_400_000})
    void theDefaultsFitEachTtl(long millis) {
        Duration ttl = Duration.ofMillis(millis);
        LeaseOptions options = job().ttl(ttl).build();

        assertThat(options.safetyMargin())
                .isBetween(ttl.dividedBy(100), ttl.dividedBy(4))
                .isLessThanOrEqualTo(Duration.ofMinutes(15));
        assertThat(options.renewInterval().plus(options.requestTimeout()))
                .isLessThan(ttl.minus(options.safetyMargin()));
    }

    @Test
    void optionsAreReadableInLogs() {
        assertThat(job().limit(3).ttl(Duration.ofSeconds(10)).build())
                .hasToString("LeaseOptions[name=job, limit=3, ttl=10 s, renewInterval=3.333 s, requestTimeout=2.5 s,"
                        + " safetyMargin=1 s]");
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

    @Test
    void theTtlHasBounds() {
        assertThat(job().ttl(LEAST).build().ttl()).isEqualTo(LEAST);
        assertThat(job().ttl(Duration.ofMillis(1500)).build().ttl())
                .as("with its fraction of a second")
                .isEqualTo(Duration.ofMillis(1500));
        assertThat(job().ttl(MOST).build().ttl()).isEqualTo(MOST);
        for (Duration odd : List.of(
                LEAST.minusNanos(1), MOST.plusNanos(1), Duration.ofSeconds(-1), Duration.ofSeconds(Long.MAX_VALUE))) {
            assertThatThrownBy(() -> job().ttl(odd))
                    .isInstanceOf(LeaseConfigException.class)
                    .hasMessageContaining(" s")
                    .hasMessageNotContaining("PT");
        }
    }

    @Test
    void aRenewalIntervalIsAtMostHalfTheTtl() {
        LeaseOptions.Builder builder = job().requestTimeout(Duration.ofSeconds(1));
        assertThat(builder.renewInterval(Duration.ofSeconds(15)).build().renewInterval())
                .isEqualTo(Duration.ofSeconds(15));
        refused(builder.renewInterval(Duration.ofSeconds(15).plusNanos(1)), "renewInterval");
        refused(builder.renewInterval(Duration.ofSeconds(30)), "renewInterval");
        assertThatThrownBy(() -> builder.renewInterval(Duration.ZERO)).isInstanceOf(LeaseConfigException.class);
    }

    @Test
    void aRequestTimeoutIsAtMostAThirdOfTheTtl() {
        LeaseOptions.Builder builder = job().renewInterval(Duration.ofSeconds(1));
        assertThat(builder.requestTimeout(Duration.ofSeconds(10)).build().requestTimeout())
                .isEqualTo(Duration.ofSeconds(10));
        refused(builder.requestTimeout(Duration.ofSeconds(10).plusNanos(1)), "requestTimeout");
        assertThatThrownBy(() -> builder.requestTimeout(Duration.ZERO)).isInstanceOf(LeaseConfigException.class);
    }

    @Test
    void aRenewalFitsIntoTheValidity() {
        LeaseOptions.Builder builder = job().renewInterval(Duration.ofSeconds(15))
                .requestTimeout(Duration.ofSeconds(10))
                .safetyMargin(Duration.ofSeconds(5));
        refused(builder, "does not fit");
        assertThat(builder.safetyMargin(Duration.ofSeconds(5).minusNanos(1)).build())
                .isNotNull();
    }

    @Test
    void aMarginCoversTheDrift() {
        LeaseOptions.Builder builder = job().maxDriftRatio(0.01);
        assertThat(builder.safetyMargin(Duration.ofMillis(300)).build().safetyMargin())
                .isEqualTo(Duration.ofMillis(300));
        refused(builder.safetyMargin(Duration.ofMillis(300).minusNanos(1)), "maxDriftRatio");
        assertThat(job().maxDriftRatio(0).safetyMargin(Duration.ZERO).build().safetyMargin())
                .isZero();
        assertThatThrownBy(() -> job().safetyMargin(Duration.ofNanos(-1))).isInstanceOf(LeaseConfigException.class);
        assertThat(job().maxDriftRatio(0.2).build().safetyMargin())
                .as("the default covers it")
                .isEqualTo(Duration.ofSeconds(6));
    }

    @ParameterizedTest
    @ValueSource(doubles = {-0.001, 0.501, Double.NaN, Double.POSITIVE_INFINITY})
    void oddDriftsAreRefused(double ratio) {
        assertThatThrownBy(() -> job().maxDriftRatio(ratio)).isInstanceOf(LeaseConfigException.class);
    }

    @Test
    void limitsHaveABound() {
        assertThatThrownBy(() -> job().limit(0)).isInstanceOf(LeaseConfigException.class);
        assertThat(job().limit(Long.MAX_VALUE).build().limit()).isEqualTo(Long.MAX_VALUE);
    }
}
