package io.flockgate.gateway.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.Polling;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class WatchdogTest {
    @Test
    void aThreadThatRunsGetsCpuTime() {
        long before = Watchdog.activity(Thread.currentThread()).cpuNanos();
        assertThat(before).isPositive();
        LoopCheck.Activity after = Polling.until(
                () -> Watchdog.activity(Thread.currentThread()),
                activity -> activity.cpuNanos() > before + LoopCheck.IDLE_NANOS);
        assertThat(after.waiting()).isFalse();
    }

    @Test
    void aThreadWaitsUntilItEnds() throws Exception {
        Thread parked = Thread.ofPlatform().daemon().start(WatchdogTest::parkUntilInterrupted);
        LoopCheck.Activity unused = Polling.until(() -> Watchdog.activity(parked), LoopCheck.Activity::waiting);
        parked.interrupt();
        parked.join();
        assertThat(Watchdog.activity(parked).cpuNanos()).isNegative();
    }

    private static void parkUntilInterrupted() {
        while (!Thread.currentThread().isInterrupted()) {
            LockSupport.park();
        }
    }
}
