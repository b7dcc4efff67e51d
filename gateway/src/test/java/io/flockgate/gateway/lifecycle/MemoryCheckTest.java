package io.flockgate.gateway.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.lifecycle.MemoryCheck.Collections;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class MemoryCheckTest {
    private static final long MAX = 1_000_000;
    private static final long FULL = 900_000;

    private final MemoryCheck check = new MemoryCheck();
    private long now;
    private long count;
    private long millis;

    /** Checks this many seconds later, after this many further collections that took this long. */
    private boolean isHopeless(int seconds, long used, int collections, int milliseconds) {
        now += TimeUnit.SECONDS.toNanos(seconds);
        count += collections;
        millis += milliseconds;
        return check.isHopeless(now, used, MAX, () -> new Collections(count, millis));
    }

    @Test
    void collectionsThatTakeNearlyAllTimeAreHopeless() {
        assertThat(isHopeless(0, FULL, 0, 0)).isFalse();
        assertThat(isHopeless(2, FULL, 2, 1_900)).isFalse();
        assertThat(isHopeless(2, FULL, 2, 1_900)).isFalse();
        assertThat(isHopeless(2, FULL, 2, 1_900)).isTrue();
    }

    @Test
    void aFullHeapWithTimeForWorkIsNot() {
        assertThat(isHopeless(0, FULL, 0, 0)).isFalse();
        for (int i = 0; i < 20; i++) {
            assertThat(isHopeless(5, FULL, 50, 3_000)).isFalse();
        }
    }

    @Test
    void manyCollectionsOfAHeapWithRoomAreNot() {
        for (int i = 0; i < 20; i++) {
            assertThat(isHopeless(5, MAX / 2, 50, 4_900)).isFalse();
        }
    }

    @Test
    void aPauseOfTheProcessWithinACollectionIsNot() {
        assertThat(isHopeless(0, FULL, 0, 0)).isFalse();
        assertThat(isHopeless(3_600, FULL, 1, 3_600_000)).isFalse();
        assertThat(isHopeless(5, FULL, 1, 100)).isFalse();
    }

    @Test
    void itBeginsAgainAfterTheHeapHadRoom() {
        assertThat(isHopeless(0, FULL, 0, 0)).isFalse();
        assertThat(isHopeless(5, MAX / 2, 5, 4_900)).isFalse();
        assertThat(isHopeless(5, FULL, 5, 4_900)).isFalse();
        assertThat(isHopeless(5, FULL, 5, 4_900)).isTrue();
    }
}
