package io.flockgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many clients at once, and holders that stay. */
class LoadTest {
    private static final int CLIENTS = 120;

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    @DisplayName("★40 more than a hundred persistent connections at full speed, and no error line")
    void manyConnectionsAtFullSpeedGetNoError(int eventLoops) throws Exception {
        int pairs = 200;
        try (TestGateway gateway = TestGateway.start("--event-loops=" + eventLoops)) {
            together(i -> {
                try (Client client = Client.of(gateway.port())) {
                    for (int n = 0; n < pairs; n++) {
                        String key = "own-" + i + "-" + n % 5;
                        client.release(key, Client.token(client.ask("l", key, "10")));
                    }
                }
            });
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void manyConnectionsAtOneKeyAreServedOneAtATime(int eventLoops) throws Exception {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger served = new AtomicInteger();
        try (TestGateway gateway = TestGateway.start("--event-loops=" + eventLoops)) {
            together(i -> {
                try (Client client = Client.of(gateway.port())) {
                    for (int n = 0; n < 20; n++) {
                        String token = hold(client, n % 2 == 0);
                        assertThat(inside.incrementAndGet()).isEqualTo(1);
                        served.incrementAndGet();
                        inside.decrementAndGet();
                        client.release("hot", token);
                    }
                }
            });
        }
        assertThat(served).hasValue(20 * CLIENTS);
    }

    /** In one step or in two. */
    private static String hold(Client client, boolean twoPhase) throws IOException {
        if (twoPhase) {
            assertThat(client.ask("e", "hot", "")).matches("queued|acquired .*");
        }
        return Client.token(client.ask(twoPhase ? "w" : "l", "hot", "60"));
    }

    @Test
    @DisplayName("★39 BackgroundRenew: a lease of two seconds, renewed every half, is held for more than three")
    void aRenewedLeaseIsHeldForLongerThanItself() throws Exception {
        try (TestGateway gateway = TestGateway.start();
                Client holder = Client.of(gateway.port());
                Client other = Client.of(gateway.port())) {
            String token = Client.token(holder.ask("l", "job", "0 2"));
            long begun = System.nanoTime();
            while (System.nanoTime() - begun < 3_200_000_000L) {
                Thread.sleep(500);
                assertThat(holder.ask("n", "job", token + " 2")).isEqualTo("ok 2");
                assertThat(other.ask("l", "job", "0")).isEqualTo("timeout");
            }
            holder.release("job", token);
            other.lock("job");
        }
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
