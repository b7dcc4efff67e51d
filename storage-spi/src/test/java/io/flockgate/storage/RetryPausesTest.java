package io.flockgate.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
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

    @Test
    void pausesArePositiveAndDoNotShrink() {
        assertThatIllegalArgumentException().isThrownBy(() -> new RetryPauses(0, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> new RetryPauses(2, 1));
    }

    @Property
    void noPauseIsShorterThanThePauseBeforeOrOutOfBounds(
            @ForAll @LongRange(min = 1) long one,
            @ForAll @LongRange(min = 1) long other,
            @ForAll @IntRange(min = 1, max = 100) int failures) {
        RetryPauses any = new RetryPauses(Math.min(one, other), Math.max(one, other));

        assertThat(any.millisAfter(failures)).isBetween(any.firstMillis(), any.longestMillis());
        assertThat(any.millisAfter(failures + 1)).isGreaterThanOrEqualTo(any.millisAfter(failures));
    }

    @Property
    void jitterOnlyShortensAPauseAndAtMostToHalf(
            @ForAll @LongRange(min = 1, max = 1_000_000) long first,
            @ForAll @IntRange(min = 1, max = 40) int failures,
            @ForAll long seed) {
        RetryPauses any = new RetryPauses(first, 1_000_000);
        long whole = any.millisAfter(failures);

        assertThat(any.millisAfter(failures, new Random(seed))).isBetween(whole / 2, whole);
    }
}
