package io.flockgate.gateway.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class TimesTest {
    @Test
    void durationsAreExactUpTo146YearsAndCutOffThere() {
        assertThat(Times.nanos(Duration.ZERO)).isZero();
        assertThat(Times.nanos(Duration.ofSeconds(23))).isEqualTo(23_000_000_000L);
        assertThat(Times.nanos(Duration.ofNanos(1))).isOne();
        Duration most = Duration.ofSeconds(4_611_686_018L);
        assertThat(Times.nanos(most.minusSeconds(1))).isEqualTo(4_611_686_017_000_000_000L);
        assertThat(Times.nanos(most)).isEqualTo(Long.MAX_VALUE / 2);
        assertThat(Times.nanos(Duration.ofSeconds(Long.MAX_VALUE))).isEqualTo(Long.MAX_VALUE / 2);
    }
}
