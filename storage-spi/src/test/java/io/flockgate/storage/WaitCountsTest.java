package io.flockgate.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class WaitCountsTest {
    @Test
    void aBoundBelongsToTheLongerWaits() {
        WaitCounts.Counter counter = new WaitCounts.Counter();
        for (int seconds : WaitCounts.BOUNDS_S) {
            counter.add(Duration.ofSeconds(seconds).toNanos() - 1);
            counter.add(Duration.ofSeconds(seconds).toNanos());
        }
        counter.add(0);
        counter.add(Long.MAX_VALUE);
        assertThat(counter.counts().counts()).containsExactly(2, 2, 2, 2, 2, 2);
    }
}
