package io.flockgate.gateway.server.flood;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.LineClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Clients that enqueue, let the lease of each grant end, and wait for it only then. Nothing is left
 * of that, so a cap on enqueued claims never refuses them.
 */
@Tag("flood")
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("flood")
class EndedEntriesFloodTest {
    private static final int KEYS = 1_000;
    private static final int CLIENTS_AT_ONCE = 50;
    private static final String KEY = "k".repeat(240);

    @Test
    @Tag("slow")
    void entriesWhoseWaitHasCome() throws Exception {
        try (FloodedGateway gateway = FloodedGateway.start()) {
            gateway.withstands("ended entries", () -> {
                List<LineClient> clients = new ArrayList<>();
                for (int round = 0; round < 8; round++) {
                    clients.addAll(enqueueAndWaitLate(gateway));
                }
                for (LineClient client : clients) {
                    client.close();
                }
            });
        }
    }

    private static List<LineClient> enqueueAndWaitLate(FloodedGateway gateway) throws Exception {
        List<LineClient> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS_AT_ONCE; i++) {
            LineClient client = gateway.client();
            clients.add(client);
            assertThat(Pipeline.send(client, KEYS, n -> LineClient.frame("se", KEY + n, "100000 1")))
                    .isEqualTo(Map.of("acquired", KEYS));
        }
        Thread.sleep(1_500);
        for (LineClient client : clients) {
            assertThat(Pipeline.send(client, KEYS, n -> LineClient.frame("sw", KEY + n, "0")))
                    .isEqualTo(Map.of("error_lease_expired", KEYS));
        }
        return clients;
    }
}
