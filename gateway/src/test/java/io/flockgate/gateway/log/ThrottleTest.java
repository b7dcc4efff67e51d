package io.flockgate.gateway.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ThrottleTest {
    private static final int LINES = 5;

    private final List<String> written = new ArrayList<>();
    private final Queue<Runnable> timers = new ArrayDeque<>();
    private long now = 7;
    private final Throttle throttle = new Throttle(LINES, () -> now, (millis, task) -> timers.add(task));

    private void events(String name, int number) {
        for (int i = 0; i < number; i++) {
            throttle.add(name, count -> written.add(name + count), count -> written.add("late " + name + count));
        }
    }

    @Test
    void eventsBeyondTheLinesOfASecondShareOneAtItsEnd() {
        events("a", LINES + 1_000);
        events("b", 1);
        assertThat(written).containsExactly("a1", "a1", "a1", "a1", "a1", "b1");
        assertThat(timers).hasSize(1);
        now += TimeUnit.SECONDS.toNanos(1);
        timers.remove().run();
        events("a", LINES);
        assertThat(written.subList(6, written.size())).containsExactly("late a1000", "a1", "a1", "a1", "a1");
        assertThat(timers).hasSize(1);
    }

    @Test
    void anEventOfTheNextSecondCountsThoseThatWait() {
        events("a", LINES + 3);
        now += TimeUnit.SECONDS.toNanos(1);
        events("a", 1);
        timers.remove().run();
        assertThat(written).hasSize(LINES + 1).last().isEqualTo("a4");
    }

    @Test
    void manyNamesDoNotFillTheMemoryAndNoEventIsLost() {
        for (int i = 0; i < 100_000; i++) {
            events("name " + i + " ", LINES + 1);
        }
        assertThat(written).hasSizeGreaterThan(599_000 - 1_000);
        throttle.flush();
        assertThat(written).hasSize(600_000);
        throttle.flush();
        assertThat(written).hasSize(600_000);
    }
}
