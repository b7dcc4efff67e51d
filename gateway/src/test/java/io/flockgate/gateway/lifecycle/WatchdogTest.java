package io.flockgate.gateway.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.eventloop.FakeEventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class WatchdogTest {
    private final FakeEventLoop loop = new FakeEventLoop();
    private final FakeEventLoop other = new FakeEventLoop();
    private final List<String> alarms = new ArrayList<>();
    private final List<String> beats = new ArrayList<>();
    private final Watchdog watchdog = new Watchdog(
            List.of(loop, other), alarms::add, ServiceManager.of(Map.of("WATCHDOG_USEC", "2000000"), 7, beats::add));
    private long seconds;

    private void check(int times) {
        for (int i = 0; i < times; i++) {
            watchdog.check(TimeUnit.SECONDS.toNanos(++seconds));
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
        assertThat(beats).hasSize(3 * Watchdog.MAX_TICKS).containsOnly("WATCHDOG=1");
    }

    @Test
    void aLoopThatHasEndedIsReported() {
        other.end();
        check(1);
        assertThat(alarms).containsExactly("the event loop " + other.thread().getName() + " has ended");
    }
}
