package io.flockgate.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RetryPausesTest {
    private final RetryPauses backoff = new RetryPauses(100, 5_000);

    @Test
    void thePauseDoublesUpToTheLongest() {
        assertThat(IntStream.rangeClosed(1, 8).mapToLong(backoff::millisAfter))
                .containsExactly(100L, 200L, 400L, 800L, 1600L, 3200L, 5000L, 5000L);
        assertThat(backoff.millisAfter(Integer.MAX_VALUE)).isEqualTo(5000);
    }

    @Test
    void jitterReachesFromHalfThePauseToAllOfIt() {
        Random random = new Random(1);

        assertThat(IntStream.range(0, 10_000).mapToLong(i -> backoff.millisAfter(2, random)))
                .allMatch(pause -> 100 <= pause && pause <= 200)
                .contains(100L, 150L, 200L);
    }
}
