package io.flockgate.gateway.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;

class ThrottleTest {
    private static final int LINES = 5;

    private final List<String> written = new ArrayList<>();
    private final Queue<Runnable> timers = new ArrayDeque<>();
    private final Throttle throttle = new Throttle(LINES, timers::add);

    private void events(String name, int number) {
        for (int i = 0; i < number; i++) {
            if (throttle.admit(name, count -> written.add(name + count))) {
                written.add(name);
            }
        }
    }

    private List<String> secondEnds() {
        written.clear();
        timers.remove().run();
        return List.copyOf(written);
    }

    @Test
    void eventsBeyondTheLinesOfASecondShareTheFirstOneOfTheNext() {
        events("a", LINES + 1_000);
        events("b", 1);
        assertThat(written).containsExactly("a", "a", "a", "a", "a", "b");
        assertThat(timers).hasSize(1);
        assertThat(secondEnds()).containsExactly("a1000");
        events("a", LINES);
        assertThat(written).containsExactly("a1000", "a", "a", "a", "a");
        assertThat(secondEnds()).containsExactly("a1");
        assertThat(secondEnds()).isEmpty();
        assertThat(timers).as("nothing is left to do").isEmpty();
        events("a", LINES);
        assertThat(written).hasSize(LINES);
        assertThat(timers).hasSize(1);
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
