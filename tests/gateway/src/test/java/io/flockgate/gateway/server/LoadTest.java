package io.flockgate.gateway.server;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Many clients at once. */
class LoadTest {
    @Test
    @DisplayName("★40 more than a hundred persistent connections at full speed, and no error line")
    void manyConnectionsAtFullSpeedGetNoError() throws Exception {
        int pairs = 200;
        List<Callable<Void>> tasks = new ArrayList<>();
        try (TestGateway gateway = TestGateway.start("--event-loops=2");
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 120; i++) {
                String own = "own-" + i + "-";
                tasks.add(() -> {
                    try (LineClient client = gateway.client()) {
                        for (int n = 0; n < pairs; n++) {
                            String key = own + n % 5;
                            client.release(HeldGrant.of(key, client.ask("l", key, "10")));
                        }
                    }
                    return null;
                });
            }
            for (Future<Void> one : threads.invokeAll(tasks)) {
                one.get();
            }
        }
    }
}
