package io.flockgate.gateway.net;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.Dialogue;
import io.flockgate.gateway.eventloop.FakeEventLoop;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WriteWatchTest {
    private final FakeEventLoop loop = new FakeEventLoop();
    private final List<String> done = new ArrayList<>();
    private final Map<String, Promise<Void>> writes = new HashMap<>();
    private WriteWatch watch = new WriteWatch(loop, Duration.ofSeconds(5), () -> done.add("TIMEOUT"));

    private List<String> act(String step) {
        done.clear();
        String[] words = step.split(" ", -1);
        switch (words[0]) {
            case "writes" ->
                watch.note(writes.computeIfAbsent(words[1], name -> Promise.promise())
                        .future());
            case "sent" -> requireNonNull(writes.get(words[1])).complete();
            case "writesAndSends" -> watch.note(Future.succeededFuture());
            case "fails" -> watch.note(Future.failedFuture("gone"));
            case "stops" -> watch.stop();
            case "timers" -> done.add(loop.timersStarted() + " started, " + loop.timersRunning() + " running");
            default -> loop.pass(Duration.ofMillis(Long.parseLong(words[0])));
        }
        return List.copyOf(done);
    }

    /** Milliseconds pass between writes. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "writes a; 4999; 1 -> TIMEOUT",
                "writes a; 4999; sent a; 15000; timers -> 1 started, 0 running",
                "fails; 15000",
                "writesAndSends; timers -> 0 started, 0 running",
                "writes a; writes b; writesAndSends; 1; sent a; 9999 -> TIMEOUT",
                "writes a; 1; sent a; 999; writes b; writes c; 10000 -> TIMEOUT",
                "writes a; 1; sent a; 9999; writes b; 4999; 1 -> TIMEOUT",
                "writes a; stops; timers -> 1 started, 0 running; 15000"
            })
    void aWriteThatHasNotLeftInTimeIsNoticed(String script) {
        Dialogue.play(script, this::act);
    }

    @Test
    void manyWritesCostOneTimerPerTimeout() {
        for (int i = 0; i < 10_000; i++) {
            Dialogue.play("writes " + i + "; 1; sent " + i, this::act);
        }
        assertThat(loop.timersStarted()).isBetween(2L, 3L);
    }

    @Test
    void aTimeoutOfZeroWatchesNothing() {
        watch = new WriteWatch(loop, Duration.ZERO, () -> done.add("TIMEOUT"));
        Dialogue.play("writes a; timers -> 0 started, 0 running; 86400000; stops", this::act);
    }
}
