package io.flockgate.client.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BackoffTest {
    private final Backoff backoff = new Backoff(Duration.ofMillis(50), Duration.ofMillis(300));

    @Test
    void eachPauseIsTwiceAsLongUpToTheLongest() {
        assertThat(IntStream.of(1, 2, 3, 4, 5, Integer.MAX_VALUE)
                        .mapToObj(backoff::after)
                        .map(Duration::toMillis))
                .containsExactly(50L, 100L, 200L, 300L, 300L, 300L);
        assertThat(new Backoff(Duration.ofSeconds(9), Duration.ofSeconds(1)).after(1))
                .isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void aVariedPauseIsBetweenAHalfAndOneAndAHalf() {
        Random random = new Random(1);
        assertThat(IntStream.range(0, 1000).mapToObj(i -> backoff.after(1, random)))
                .allMatch(pause -> pause.toMillis() >= 25 && pause.toMillis() <= 75)
                .anyMatch(pause -> pause.toMillis() < 30)
                .anyMatch(pause -> pause.toMillis() > 70);
    }
}
