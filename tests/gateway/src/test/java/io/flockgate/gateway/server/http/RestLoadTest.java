package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many sessions at full speed. */
class RestLoadTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void manyConnectionsAtFullSpeedHoldOneKeyOneAtATime(int eventLoops) throws Exception {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger served = new AtomicInteger();
        try (TestGateway gateway = TestGateway.startWithHttp("--event-loops=" + eventLoops);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < 120; i++) {
                running.add(threads.submit(() -> {
                    hold(gateway.httpPort(), inside, served);
                    return null;
                }));
            }
            for (Future<?> one : running) {
                one.get();
            }
        }
        assertThat(served).hasValue(120 * 20);
    }

    private static void hold(int port, AtomicInteger inside, AtomicInteger served) throws IOException {
        try (SessionClient client = SessionClient.of(port)) {
            for (int n = 0; n < 20; n++) {
                boolean twoPhase = n % 2 == 0;
                if (twoPhase) {
                    assertThat(client.enqueue("hot").outcome()).isIn("queued", "acquired");
                }
                Response held = twoPhase ? client.await("hot", 60) : client.lock("hot", "{\"acquire_timeout_s\":60}");
                String token = SessionClient.granted(held);
                assertThat(inside.incrementAndGet()).isEqualTo(1);
                served.incrementAndGet();
                inside.decrementAndGet();
                client.release("hot", token);
            }
        }
    }
}
