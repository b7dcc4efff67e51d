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
                try (LineClient client = gateway.client()) {
                    for (int n = 0; n < pairs; n++) {
                        String key = "own-" + i + "-" + n % 5;
                        client.release(HeldGrant.of(key, client.ask("l", key, "10")));
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

    @Test
    @DisplayName("★39 BackgroundRenew: a lease of three seconds, renewed every second, is held for more than four")
    void aRenewedLeaseIsHeldForLongerThanItself() throws Exception {
        try (TestGateway gateway = TestGateway.start();
                LineClient holder = gateway.client();
                LineClient other = gateway.client()) {
            HeldGrant held = holder.lock("job", 0, 3);
            for (int seconds = 0; seconds < 4; seconds++) {
                assertThat(other.ask("l", "job", "1")).isEqualTo("timeout");
                assertThat(holder.renew(held, 3)).isEqualTo("ok 3");
            }
            holder.release(held);
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
