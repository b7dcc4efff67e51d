package io.flockgate.gateway.eventloop;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.Dialogue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LazyTimerTest {
    private static final long MICRO = 1_000;

    private final FakeEventLoop loop = new FakeEventLoop();
    private final List<String> done = new ArrayList<>();
    private final LazyTimer timer = new LazyTimer(loop, () -> done.add("FIRES"));

    private List<String> act(String step) {
        done.clear();
        String[] words = step.split(" ", -1);
        switch (words[0]) {
            case "set" -> timer.set(words[1].equals("ever") ? Long.MAX_VALUE : Long.parseLong(words[1]) * MICRO);
            case "clear" -> timer.clear();
            case "stop" -> timer.stop();
            case "running" -> done.add(String.valueOf(loop.timersRunning()));
            case "started" -> done.add(String.valueOf(loop.timersStarted()));
            default -> loop.pass(Duration.ofNanos(Long.parseLong(words[0]) * MICRO));
        }
        return List.copyOf(done);
    }

    /** Microseconds pass. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "set 1000000; 999999; 1 -> FIRES; 10000000; running -> 0",
                "set 1500; 1499; 1000 -> FIRES",
                "set 0; 1000 -> FIRES",
                "set 1000000; 900000; clear; set 1000000; 999000; 1000 -> FIRES; started -> 2",
                "set 100000000; set 1000000; running -> 1; 1000000 -> FIRES; 200000000",
                "set ever; 86400000000000; running -> 1",
                "set 1000000; stop; running -> 0; 5000000; set 1000000; 1000000 -> FIRES"
            })
    void itRunsItsTaskOnceWhenTheTimeHasPassedAndNotBefore(String script) {
        Dialogue.play(script, this::act);
    }

    @Test
    void setAndClearedManyTimesItStartsOneTimerOnly() {
        for (int i = 0; i < 1000; i++) {
            timer.set(1_000_000_000);
            loop.stall(Duration.ofNanos(100));
            timer.clear();
        }
        Dialogue.play("started -> 1; 5000000; running -> 0", this::act);
    }

    @Test
    void theTaskMaySetItAnew() {
        LazyTimer[] again = new LazyTimer[1];
        again[0] = new LazyTimer(loop, () -> {
            done.add("FIRES");
            if (done.size() < 3) {
                again[0].set(1_000_000_000);
            }
        });
        again[0].set(1_000_000_000);
        loop.pass(Duration.ofSeconds(10));
        assertThat(done).hasSize(3);
    }
}
