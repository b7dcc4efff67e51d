package io.flockgate.storage.memory.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RetryPauseTest {
    @Test
    void thePauseDoublesUpToTheLongest() {
        assertThat(IntStream.rangeClosed(1, 8).mapToLong(RetryPause.STANDARD::millisAfter))
                .containsExactly(100L, 200L, 400L, 800L, 1600L, 3200L, 5000L, 5000L);
        assertThat(RetryPause.STANDARD.millisAfter(Integer.MAX_VALUE)).isEqualTo(5000);
    }

    @Test
    void pausesArePositiveAndDoNotShrink() {
        assertThatIllegalArgumentException().isThrownBy(() -> new RetryPause(0, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> new RetryPause(2, 1));
    }
}
