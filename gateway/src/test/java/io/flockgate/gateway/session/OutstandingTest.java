package io.flockgate.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OutstandingTest {
    private final Outstanding calls = new Outstanding();
    private final Promise<Void> one = Promise.promise();
    private final Promise<Void> other = Promise.promise();

    @Test
    void noCallsAreOverOnceThereAreNoMore() {
        assertThat(calls.done().isComplete()).isFalse();
        calls.noMore();
        assertThat(calls.done().succeeded()).isTrue();
    }

    @Test
    void callsAreOverWhenTheLastHasEnded() {
        calls.add(one.future());
        calls.add(other.future());
        calls.noMore();
        other.complete();
        assertThat(calls.done().isComplete()).isFalse();
        one.complete();
        assertThat(calls.done().succeeded()).isTrue();
    }

    @Test
    void callsThatEndedBeforeTheLastWasAddedAreNotAllThereWere() {
        calls.add(one.future());
        one.complete();
        calls.add(Future.succeededFuture());
        assertThat(calls.done().isComplete()).isFalse();
        calls.add(other.future());
        other.complete();
        assertThat(calls.done().isComplete()).isFalse();
        calls.noMore();
        assertThat(calls.done().succeeded()).isTrue();
    }

    @Test
    void theFirstFailureIsReportedOnceAllAreOver() {
        IllegalStateException first = new IllegalStateException("first");
        calls.add(one.future());
        calls.add(other.future());
        calls.noMore();
        other.fail(first);
        assertThat(calls.done().isComplete()).isFalse();
        one.fail("second");
        assertThat(calls.done().cause()).isSameAs(first);
    }

    @Test
    void aCallThatHasFailedBeforeItIsAddedCountsAsWell() {
        IllegalStateException first = new IllegalStateException("first");
        calls.add(Future.failedFuture(first));
        calls.add(Future.failedFuture("second"));
        calls.noMore();
        assertThat(calls.done().cause()).isSameAs(first);
    }

    @Test
    void manyThreadsMayEndCallsWhileMoreAreAdded() throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 8; t++) {
            List<Promise<Void>> promises = new ArrayList<>();
            for (int i = 0; i < 1000; i++) {
                Promise<Void> promise = Promise.promise();
                calls.add(promise.future());
                promises.add(promise);
            }
            threads.add(Thread.ofPlatform().start(() -> promises.forEach(Promise::complete)));
        }
        calls.noMore();
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(calls.done().succeeded()).isTrue();
    }
}
