package io.flockgate.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** LockSessionCloseTest shows what a close waits for. */
class OutstandingTest {
    private final Outstanding calls = new Outstanding();

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
