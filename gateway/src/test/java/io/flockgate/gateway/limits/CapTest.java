package io.flockgate.gateway.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.LogLines;
import java.util.ArrayDeque;
import java.util.Queue;
import org.junit.jupiter.api.Test;

class CapTest {
    private final Queue<Runnable> minutes = new ArrayDeque<>();

    private Cap cap(String flag, long max) {
        return new Cap("things", flag, max, minutes::add);
    }

    @Test
    void warnsOnceAMinuteWithTheNumberOfRefusalsSinceTheLast() {
        Cap cap = cap("--max-things", 3);
        try (LogLines lines = new LogLines(Cap.class)) {
            cap.refused("key", "a");
            cap.refused("key", "b");
            cap.refused("peer", "c");
            assertThat(lines.all()).hasSize(1);
            minutes.remove().run();
            cap.refused("key", "d");
            assertThat(lines.all())
                    .containsExactly(
                            "WARN a cap is reached, refusing things flag=--max-things max=3 refused=1 key=a",
                            "WARN a cap is reached, refusing things flag=--max-things max=3 refused=2 peer=c");
        }
        assertThat(cap.refusals()).isEqualTo(4);
    }

    @Test
    void aConstantIsNamedByItsValue() {
        try (LogLines lines = new LogLines(Cap.class)) {
            cap("", 1).refused("peer", "a");
            assertThat(lines.all()).containsExactly("WARN a cap is reached, refusing things max=1 refused=1 peer=a");
        }
    }

    @Test
    void admitsUpToItsMaximumAndZeroMeansNone() {
        assertThat(cap("", 2).admits(1)).isTrue();
        assertThat(cap("", 2).admits(2)).isFalse();
        assertThat(cap("", 0).admits(Integer.MAX_VALUE)).isTrue();
    }
}
