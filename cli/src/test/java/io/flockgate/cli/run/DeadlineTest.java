package io.flockgate.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.cli.run.Supervisor.Deadline;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class DeadlineTest {
    private static final Duration HOUR = Duration.ofHours(1);

    private static Deadline at(Duration byMonotonicClock, Duration byWallClock) {
        return new Deadline(
                System.nanoTime() + byMonotonicClock.toNanos(), System.currentTimeMillis() + byWallClock.toMillis());
    }

    @Test
    void theEarlierOfTwoClocksCounts() {
        assertThat(at(HOUR, HOUR.negated()).left()).isLessThan(HOUR.dividedBy(-2));
        assertThat(at(HOUR.negated(), HOUR).left()).isLessThan(HOUR.dividedBy(-2));
        assertThat(at(HOUR, HOUR.multipliedBy(9)).left()).isBetween(HOUR.dividedBy(2), HOUR);
    }

    @Test
    void theWallClockAloneMovesNoDeadline() {
        Deadline old = new Deadline(0, 0);
        assertThat(new Deadline(0, HOUR.toMillis()).isWellAfter(old)).isFalse();
        assertThat(new Deadline(HOUR.toNanos(), 0).isWellAfter(old)).isTrue();
        assertThat(new Deadline(Duration.ofMillis(10).toNanos(), 0).isWellAfter(old))
                .isFalse();
    }

    @Test
    void aLaterDeadlineIsLaterByBothClocks() {
        assertThat(new Deadline(1, 2).plus(HOUR)).isEqualTo(new Deadline(1 + HOUR.toNanos(), 2 + HOUR.toMillis()));
    }
}
