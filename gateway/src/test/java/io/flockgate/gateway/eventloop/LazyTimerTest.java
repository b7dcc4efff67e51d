package io.flockgate.gateway.eventloop;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LazyTimerTest {
    private static final long SECOND = 1_000_000_000L;

    private final FakeEventLoop loop = new FakeEventLoop();
    private int fired;
    private final LazyTimer timer = new LazyTimer(loop, () -> fired++);

    @Test
    void itRunsItsTaskOnceWhenTheTimeHasPassedAndNotBefore() {
        timer.set(SECOND);
        loop.pass(Duration.ofSeconds(1).minusNanos(1));
        assertThat(fired).isZero();
        assertThat(timer.isSet()).isTrue();
        loop.pass(Duration.ofNanos(1));
        assertThat(fired).isOne();
        assertThat(timer.isSet()).isFalse();
        loop.pass(Duration.ofSeconds(10));
        assertThat(fired).isOne();
        assertThat(loop.timersRunning()).isZero();
    }

    @Test
    void aDeadlineBetweenMillisecondsIsNotCutShort() {
        timer.set(1_500_000);
        loop.pass(Duration.ofNanos(1_499_999));
        assertThat(fired).isZero();
        loop.pass(Duration.ofMillis(1));
        assertThat(fired).isOne();
    }

    @Test
    void aDeadlineOfNoTimeIsDueSoon() {
        timer.set(0);
        assertThat(fired).isZero();
        loop.pass(Duration.ofMillis(1));
        assertThat(fired).isOne();
    }

    @Test
    void setAndClearedManyTimesItStartsOneTimerOnly() {
        for (int i = 0; i < 1000; i++) {
            timer.set(SECOND);
            loop.stall(Duration.ofNanos(100));
            timer.clear();
        }
        assertThat(loop.timersStarted()).isOne();
        loop.pass(Duration.ofSeconds(5));
        assertThat(fired).isZero();
        assertThat(loop.timersRunning()).isZero();
    }

    @Test
    void aDeadlineMovedBackCountsFromWhenItWasSet() {
        timer.set(SECOND);
        loop.pass(Duration.ofMillis(900));
        timer.clear();
        timer.set(SECOND);
        loop.pass(Duration.ofMillis(999));
        assertThat(fired).isZero();
        loop.pass(Duration.ofMillis(1));
        assertThat(fired).isOne();
        assertThat(loop.timersStarted()).isEqualTo(2);
    }

    @Test
    void anEarlierDeadlineTakesTheLaterOnesPlace() {
        timer.set(100 * SECOND);
        timer.set(SECOND);
        assertThat(loop.timersRunning()).isOne();
        loop.pass(Duration.ofSeconds(1));
        assertThat(fired).isOne();
        loop.pass(Duration.ofSeconds(200));
        assertThat(fired).isOne();
    }

    @Test
    void theTaskMaySetItAnew() {
        LazyTimer[] again = new LazyTimer[1];
        again[0] = new LazyTimer(loop, () -> {
            if (++fired < 3) {
                again[0].set(SECOND);
            }
        });
        again[0].set(SECOND);
        loop.pass(Duration.ofSeconds(10));
        assertThat(fired).isEqualTo(3);
    }

    @Test
    void aDeadlineBeyondALifetimeNeitherOverflowsNorFires() {
        timer.set(Long.MAX_VALUE);
        loop.pass(Duration.ofDays(1000));
        assertThat(fired).isZero();
        assertThat(timer.isSet()).isTrue();
        assertThat(loop.timersRunning()).isOne();
    }

    @Test
    void stoppedItLeavesNoTimerBehindAndMayBeSetAgain() {
        timer.set(SECOND);
        timer.stop();
        assertThat(loop.timersRunning()).isZero();
        loop.pass(Duration.ofSeconds(5));
        assertThat(fired).isZero();
        timer.set(SECOND);
        loop.pass(Duration.ofSeconds(1));
        assertThat(fired).isOne();
    }
}
