package io.flockgate.gateway.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.eventloop.FakeEventLoop;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WatchdogTest {
    private final FakeEventLoop loop = new FakeEventLoop();
    private final FakeEventLoop other = new FakeEventLoop();
    private final List<String> alarms = new ArrayList<>();
    private int signs;
    private final Watchdog watchdog = new Watchdog(List.of(loop, other), alarms::add, () -> signs++);

    private void check(int times) {
        for (int i = 0; i < times; i++) {
            watchdog.check();
        }
    }

    @Test
    void aLoopThatDoesNotRunItsTaskForAMinuteIsBlocked() {
        check(1);
        loop.run();
        other.run();
        check(Watchdog.MAX_TICKS);
        assertThat(alarms).isEmpty();
        loop.run();
        check(1);
        assertThat(alarms)
                .singleElement()
                .asString()
                .startsWith("the event loop " + other.thread().getName() + " is blocked: ")
                .contains("Thread.getStackTrace");
    }

    @Test
    void aLoopThatRunsItsTaskInTimeIsChargedNothing() {
        for (int i = 0; i < 3; i++) {
            check(Watchdog.MAX_TICKS);
            loop.run();
            other.run();
        }
        assertThat(alarms).isEmpty();
        assertThat(signs).isEqualTo(3 * Watchdog.MAX_TICKS);
    }

    @Test
    void aLoopThatHasEndedIsReported() {
        other.end();
        check(1);
        assertThat(alarms).containsExactly("the event loop " + other.thread().getName() + " has ended");
    }
}
