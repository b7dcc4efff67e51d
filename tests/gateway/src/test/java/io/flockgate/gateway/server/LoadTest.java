package io.flockgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Many clients at once. */
class LoadTest {
    private static final int CLIENTS = 120;

    @Test
    @DisplayName("★40 more than a hundred persistent connections at full speed, and no error line")
    void manyConnectionsAtFullSpeedGetNoError() throws Exception {
        int pairs = 200;
        try (TestGateway gateway = TestGateway.start("--event-loops=2")) {
            together(i -> {
                try (LineClient client = gateway.client()) {
                    for (int n = 0; n < pairs; n++) {
                        String key = "own-" + i + "-" + n % 5;
                        client.release(HeldGrant.of(key, client.ask("l", key, "10")));
                    }
                }
            });
        }
    }

    @Test
    void manyConnectionsAtOneKeyAreServedOneAtATime() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger served = new AtomicInteger();
        try (TestGateway gateway = TestGateway.start("--event-loops=2")) {
            together(i -> {
                try (LineClient client = gateway.client()) {
                    for (int n = 0; n < 20; n++) {
                        HeldGrant held = hold(client, n % 2 == 0);
                        assertThat(inside.incrementAndGet()).isEqualTo(1);
                        served.incrementAndGet();
                        inside.decrementAndGet();
                        client.release(held);
                    }
                }
            });
        }
        assertThat(served).hasValue(20 * CLIENTS);
    }

    /** Acquires in one step or in two. */
    private static HeldGrant hold(LineClient client, boolean twoPhase) throws IOException {
        if (twoPhase) {
            assertThat(client.ask("e", "hot", "")).matches("queued|acquired .*");
        }
        return HeldGrant.of("hot", client.ask(twoPhase ? "w" : "l", "hot", "60"));
    }

    private interface ClientTask {
        void run(int number) throws Exception;
    }

    private static void together(ClientTask task) throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                int number = i;
                running.add(threads.submit(() -> {
                    task.run(number);
                    return null;
                }));
            }
            for (Future<?> one : running) {
                one.get();
            }
        }
    }
}
