package io.flockgate.gateway.server.flood;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.LineClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Endless claims, with default flags. */
@Tag("flood")
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("flood")
class ClaimFloodTest {
    private static final String ENDLESS = "0 9223372036854775807 1000000000";

    @Test
    void grantsOnOneConnection() throws Exception {
        grantsOnOneConnection(300_000);
    }

    @Test
    @Tag("slow")
    void grantsOnOneConnectionForLong() throws Exception {
        grantsOnOneConnection(8_500_000);
    }

    private static void grantsOnOneConnection(int frames) throws Exception {
        try (FloodedGateway gateway = FloodedGateway.start()) {
            gateway.withstands("grants on one connection", () -> {
                try (LineClient client = gateway.client()) {
                    assertThat(Pipeline.send(client, frames, i -> LineClient.frame("sl", "pool", ENDLESS)))
                            .isEqualTo(Map.of("ok", 50_000, "error_max_holders_per_client", frames - 50_000));
                }
            });
        }
    }

    @Test
    void grantsOnManyConnections() throws Exception {
        try (FloodedGateway gateway = FloodedGateway.start()) {
            gateway.withstands("grants on many connections", () -> {
                List<LineClient> clients = new ArrayList<>();
                Map<String, Integer> words = new TreeMap<>();
                for (int n = 0; n < 8; n++) {
                    LineClient client = gateway.client();
                    clients.add(client);
                    String key = "pool" + n;
                    Pipeline.send(client, 40_000, i -> LineClient.frame("sl", key, ENDLESS))
                            .forEach((word, count) -> words.merge(word, count, Integer::sum));
                }
                // Shards keep up to 1 % of the cap as spare room.
                assertThat(words.get("ok")).isBetween(247_500, 250_000);
                assertThat(words).containsOnlyKeys("ok", "error_max_holders");
                for (LineClient client : clients) {
                    client.close();
                }
            });
        }
    }

    /**
     * Their grants remain held. The cap is low here, because what the flood leaves behind is
     * measured.
     */
    @Test
    void grantsOfDetachedConnectionsThatHaveGone() throws Exception {
        try (FloodedGateway gateway = FloodedGateway.start("--max-holders-per-client=5000")) {
            gateway.withstands("grants of detached connections that have gone", () -> {
                Map<String, Integer> words = new TreeMap<>();
                for (int n = 0; n < 100; n++) {
                    try (LineClient client = gateway.client()) {
                        assertThat(client.ask("hello", "flood", "detached")).isEqualTo("ok detached");
                        Pipeline.send(client, 500, i -> LineClient.frame("sl", "pool", ENDLESS))
                                .forEach((word, count) -> words.merge(word, count, Integer::sum));
                    }
                }
                assertThat(words).isEqualTo(Map.of("ok", 5_000, "error_max_holders_per_client", 45_000));
                try (LineClient client = gateway.client()) {
                    assertThat(client.ask("sl", "pool", ENDLESS)).startsWith("ok ");
                }
            });
        }
    }

    @Test
    void enqueuedClaims() throws Exception {
        String longKey = "k".repeat(250);
        try (FloodedGateway gateway = FloodedGateway.start()) {
            gateway.withstands("enqueued claims", () -> {
                List<LineClient> clients = new ArrayList<>();
                Map<String, Integer> words = new TreeMap<>();
                for (int n = 0; n < 100; n++) {
                    LineClient client = gateway.client();
                    clients.add(client);
                    Pipeline.send(client, 1_024, i -> LineClient.frame("e", longKey + i, "1000000000"))
                            .forEach((word, count) -> words.merge(word, count, Integer::sum));
                }
                assertThat(words)
                        .isEqualTo(Map.of("acquired", 1_024, "queued", 8_976, "error_max_enqueued_per_client", 92_400));
                for (LineClient client : clients) {
                    client.close();
                }
            });
        }
    }

    @Test
    void keys() throws Exception {
        try (FloodedGateway gateway = FloodedGateway.start()) {
            gateway.withstands("keys", () -> {
                try (LineClient client = gateway.client()) {
                    assertThat(Pipeline.send(client, 300_000, i -> LineClient.frame("l", "key" + i, "0 1000000000")))
                            .isEqualTo(Map.of("ok", 1_024, "error_max_locks", 298_976));
                }
            });
        }
    }
}
