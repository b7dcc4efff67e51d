package io.flockgate.gateway.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.eventloop.FakeEventLoop;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class WriteWatchTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final FakeEventLoop loop = new FakeEventLoop();
    private int timedOut;
    private final WriteWatch watch = new WriteWatch(loop, TIMEOUT, () -> timedOut++);

    @Test
    void aWriteNotTakenInTimeIsNoticed() {
        Promise<Void> write = Promise.promise();
        watch.note(write.future());
        loop.pass(TIMEOUT.minusMillis(1));
        assertThat(timedOut).isZero();
        loop.pass(Duration.ofMillis(1));
        assertThat(timedOut).isOne();
    }

    @Test
    void aWriteTakenInTimeIsNothing() {
        Promise<Void> write = Promise.promise();
        watch.note(write.future());
        loop.pass(TIMEOUT.minusMillis(1));
        write.complete();
        loop.pass(TIMEOUT.multipliedBy(3));
        assertThat(timedOut).isZero();
        assertThat(loop.timersRunning()).isZero();
    }

    @Test
    void aWriteThatFailedIsNothing() {
        watch.note(Future.failedFuture("gone"));
        loop.pass(TIMEOUT.multipliedBy(3));
        assertThat(timedOut).isZero();
    }

    @Test
    void writesThatLeaveAtOnceCostNoTimerAndHideNoOther() {
        watch.note(Future.succeededFuture());
        assertThat(loop.timersStarted()).isZero();
        watch.note(taken());
        watch.note(Promise.<Void>promise().future());
        watch.note(Future.succeededFuture());
        loop.pass(TIMEOUT.multipliedBy(2));
        assertThat(timedOut).isOne();
    }

    /** A write that leaves soon, but not at once. */
    private Future<Void> taken() {
        Promise<Void> write = Promise.promise();
        loop.after(1, write::complete);
        return write.future();
    }

    @Test
    void manyWritesCostOneTimerPerTimeout() {
        for (int i = 0; i < 10_000; i++) {
            Promise<Void> write = Promise.promise();
            watch.note(write.future());
            loop.pass(Duration.ofMillis(1));
            write.complete();
        }
        assertThat(timedOut).isZero();
        assertThat(loop.timersStarted()).isBetween(2L, 3L);
    }

    @Test
    void aWriteBehindOthersThatWereTakenIsNoticedWithinTwiceTheTime() {
        watch.note(taken());
        loop.pass(Duration.ofSeconds(1));
        Promise<Void> stuck = Promise.promise();
        watch.note(stuck.future());
        watch.note(Promise.<Void>promise().future());
        loop.pass(TIMEOUT.multipliedBy(2));
        assertThat(timedOut).isOne();
    }

    @Test
    void eachPauseBetweenWritesBeginsAnew() {
        watch.note(taken());
        loop.pass(TIMEOUT.multipliedBy(2));
        Promise<Void> write = Promise.promise();
        watch.note(write.future());
        loop.pass(TIMEOUT.minusMillis(1));
        assertThat(timedOut).isZero();
        loop.pass(Duration.ofMillis(1));
        assertThat(timedOut).isOne();
    }

    @Test
    void stoppedItNoticesNothingAndLeavesNoTimer() {
        watch.note(Promise.<Void>promise().future());
        watch.stop();
        assertThat(loop.timersRunning()).isZero();
        loop.pass(TIMEOUT.multipliedBy(3));
        assertThat(timedOut).isZero();
    }

    @Test
    void aTimeoutOfZeroWatchesNothing() {
        WriteWatch none = new WriteWatch(loop, Duration.ZERO, () -> timedOut++);
        none.note(Promise.<Void>promise().future());
        assertThat(loop.timersStarted()).isZero();
        loop.pass(Duration.ofDays(1));
        none.stop();
        assertThat(timedOut).isZero();
    }
}
