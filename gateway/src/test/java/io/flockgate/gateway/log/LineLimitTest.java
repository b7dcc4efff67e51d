package io.flockgate.gateway.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LineLimitTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private static final int BURST = 5;

    private final LineLimit lines = new LineLimit(BURST, Duration.ofSeconds(1));

    @Test
    void aFewLinesAtOnceThenOneASecondWithTheNumberOfThoseDropped() {
        for (int i = 0; i < BURST; i++) {
            assertThat(lines.admit("io.netty.A", 0)).isZero();
        }
        for (int i = 0; i < 1_000; i++) {
            assertThat(lines.admit("io.netty.A", SECOND - 1)).isEqualTo(LineLimit.DROP);
        }
        assertThat(lines.admit("io.netty.B", SECOND - 1)).isZero();
        assertThat(lines.admit("io.netty.A", SECOND)).isEqualTo(1_000);
        assertThat(lines.admit("io.netty.A", SECOND)).isEqualTo(LineLimit.DROP);
        assertThat(lines.admit("io.netty.A", 2 * SECOND)).isEqualTo(1);
    }

    @Test
    void aQuietNameHasNoMoreThanItsBurst() {
        for (int i = 0; i < BURST; i++) {
            assertThat(lines.admit("io.vertx.A", 100L * i * SECOND)).isZero();
        }
        for (int i = 0; i < BURST; i++) {
            assertThat(lines.admit("io.vertx.A", 9_000 * SECOND)).isZero();
        }
        assertThat(lines.admit("io.vertx.A", 9_000 * SECOND)).isEqualTo(LineLimit.DROP);
    }

    @Test
    void manyNamesDoNotFillTheMemory() {
        for (int i = 0; i < 100_000; i++) {
            assertThat(lines.admit("logger" + i, 0)).isLessThanOrEqualTo(0);
        }
        assertThat(lines.admit("another", 0)).isEqualTo(LineLimit.DROP);
    }
}
