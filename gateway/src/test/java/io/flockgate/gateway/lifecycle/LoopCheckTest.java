package io.flockgate.gateway.lifecycle;

import static io.flockgate.gateway.lifecycle.LoopCheck.TICK_NANOS;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.eventloop.FakeEventLoop;
import io.flockgate.gateway.lifecycle.LoopCheck.Activity;
import io.flockgate.gateway.lifecycle.LoopCheck.State;
import org.junit.jupiter.api.Test;

class LoopCheckTest {
    private static final int MAX_MISSED = (int) (LoopCheck.MAX_NANOS / TICK_NANOS);
    private static final int LONG = 60 * MAX_MISSED;

    /** The share of a thread among 35 that run on two cores. */
    private static final long STARVED_NANOS = TICK_NANOS * 2 / 35;

    private final FakeEventLoop loop = new FakeEventLoop();
    private final LoopCheck check = new LoopCheck(loop);
    private long cpu;

    /** A second in which the loop's thread got this much CPU time. */
    private State runs(long cpuNanos) {
        cpu += cpuNanos;
        return check.check(true, () -> new Activity(false, cpu));
    }

    /** A second at whose end the loop's thread waits for another thread. */
    private State waits(boolean onTime, long cpuNanos) {
        cpu += cpuNanos;
        return check.check(onTime, () -> new Activity(true, cpu));
    }

    /**
     * The number of seconds, after the one that posts the task, until the loop is reported as
     * blocked.
     */
    private int ticksUntilBlocked(long cpuNanos) {
        assertThat(runs(cpuNanos)).isEqualTo(State.ALIVE);
        int ticks = 1;
        while (runs(cpuNanos) == State.ALIVE) {
            ticks++;
            assertThat(ticks).isLessThan(LONG);
        }
        return ticks;
    }

    @Test
    void aLoopThatRunsItsTasksIsAliveAndNotMeasured() {
        for (int i = 0; i < LONG; i++) {
            assertThat(check.check(true, () -> {
                        throw new AssertionError("measured");
                    }))
                    .isEqualTo(State.ALIVE);
            loop.run();
        }
    }

    @Test
    void aSpinningLoopIsBlocked() {
        assertThat(ticksUntilBlocked(TICK_NANOS)).isEqualTo(MAX_MISSED);
    }

    @Test
    void aLoopWithoutCpuTimeIsBlocked() {
        assertThat(ticksUntilBlocked(LoopCheck.IDLE_NANOS - 1)).isEqualTo(MAX_MISSED);
    }

    @Test
    void aLoopThatWaitsIsBlockedThoughItPolls() {
        assertThat(waits(true, 0)).isEqualTo(State.ALIVE);
        for (int i = 1; i < MAX_MISSED; i++) {
            assertThat(waits(true, 2 * LoopCheck.IDLE_NANOS)).isEqualTo(State.ALIVE);
        }
        assertThat(waits(true, 2 * LoopCheck.IDLE_NANOS)).isEqualTo(State.BLOCKED);
    }

    @Test
    void aStarvedLoopThatSpinsIsBlockedLater() {
        assertThat(ticksUntilBlocked(STARVED_NANOS))
                .isGreaterThan(60)
                .isEqualTo(1 + Math.ceilDiv((MAX_MISSED - 1) * TICK_NANOS, STARVED_NANOS));
    }

    @Test
    void aStarvedLoopThatRunsItsTasksNowAndThenIsAlive() {
        for (int i = 0; i < LONG; i++) {
            assertThat(runs(STARVED_NANOS)).isEqualTo(State.ALIVE);
            if (i % 60 == 59) {
                loop.run();
            }
        }
    }

    @Test
    void aPausedProcessDoesNotCount() {
        for (int i = 0; i < LONG; i++) {
            assertThat(waits(false, 0)).isEqualTo(State.ALIVE);
        }
    }

    @Test
    void aLateSecondIsChargedItsCpuTimeUpToASecond() {
        assertThat(runs(0)).isEqualTo(State.ALIVE);
        assertThat(runs(0)).isEqualTo(State.ALIVE);
        for (int i = 2; i < MAX_MISSED; i++) {
            cpu += 100 * TICK_NANOS;
            assertThat(check.check(false, () -> new Activity(false, cpu))).isEqualTo(State.ALIVE);
        }
        cpu += TICK_NANOS;
        assertThat(check.check(false, () -> new Activity(false, cpu))).isEqualTo(State.BLOCKED);
    }

    @Test
    void theClockIsChargedWhereCpuTimeIsUnknown() {
        cpu = -1;
        assertThat(ticksUntilBlocked(0)).isEqualTo(MAX_MISSED);
    }

    @Test
    void missedTasksBeforeOneThatRanDoNotCount() {
        for (int i = 0; i < LONG; i++) {
            assertThat(runs(TICK_NANOS)).isEqualTo(State.ALIVE);
            if (i % (MAX_MISSED - 1) == 0) {
                loop.run();
            }
        }
    }

    @Test
    void aLoopThatTakesNoTaskIsDead() {
        assertThat(runs(0)).isEqualTo(State.ALIVE);
        loop.run();
        loop.end();
        assertThat(runs(0)).isEqualTo(State.DEAD);
    }
}
