package io.flockgate.storage.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.memory.Inspector.WallClock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class WallClockTest {
    private static final long GRANTED = TimeUnit.SECONDS.toNanos(7);

    private final AtomicLong nanos = new AtomicLong(GRANTED);
    private final AtomicLong millis = new AtomicLong(1_000_000_999);
    private final WallClock clock = new WallClock(nanos::get, millis::get);

    private void pass(long passedMillis, long shownMillis) {
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(passedMillis));
        millis.addAndGet(shownMillis);
    }

    @Test
    void oneReadingIsAlwaysTheSameSecond() {
        for (int i = 0; i < 100; i++) {
            assertThat(clock.second(GRANTED)).isEqualTo(1_000_000);
            // The time of day is adjusted gradually, and read in whole milliseconds.
            pass(137, 137 + i % 3 - 1);
        }
    }

    @Test
    void aTimeOfDayThatHasBeenSetCounts() {
        pass(500, 500 + 3_600_000);
        assertThat(clock.second(GRANTED)).isEqualTo(1_000_000 + 3600);
        assertThat(clock.second(nanos.get())).isEqualTo(millis.get() / 1000);
    }
}
