package io.flockgate.gateway.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ServiceManagerTest {
    private final List<String> sent = new ArrayList<>();

    private void beatEachSecond(Map<String, String> environment, int seconds) {
        ServiceManager manager = ServiceManager.of(environment, 7, sent::add);
        for (int second = 1; second <= seconds; second++) {
            manager.beat(TimeUnit.SECONDS.toNanos(second));
        }
    }

    @Test
    void itTellsTheBeginningAndTheEnd() {
        ServiceManager manager = ServiceManager.of(Map.of(), 7, sent::add);
        manager.ready();
        manager.stopping();
        assertThat(sent).containsExactly("READY=1", "STOPPING=1");
    }

    @Test
    void aGatewayThatStopsIsNotReadyAnyMore() {
        ServiceManager manager = ServiceManager.of(Map.of(), 7, sent::add);
        manager.stopping();
        manager.ready();
        assertThat(sent).containsExactly("STOPPING=1");
    }

    @Test
    void aSignOfLifeComesAtLeastTwiceInTheIntervalAndNotEachSecond() {
        beatEachSecond(Map.of("WATCHDOG_USEC", "20000000"), 60);
        assertThat(sent).hasSizeBetween(6, 8).containsOnly("WATCHDOG=1");
    }

    @Test
    void aShortIntervalGetsOneEachSecond() {
        beatEachSecond(Map.of("WATCHDOG_USEC", "2000000", "WATCHDOG_PID", "7"), 10);
        assertThat(sent).hasSize(10);
    }

    @Test
    void noSignIsSentWhereNoneIsWantedOfThisProcess() {
        beatEachSecond(Map.of(), 10);
        beatEachSecond(Map.of("WATCHDOG_USEC", "2000000", "WATCHDOG_PID", "8"), 10);
        beatEachSecond(Map.of("WATCHDOG_USEC", "often"), 10);
        assertThat(sent).isEmpty();
    }
}
