package io.flockgate.gateway.server.flood;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.LineClient;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A gateway with the launcher's heap and default flags. Floods use as many connections as one
 * address may have.
 */
@Tag("flood")
@Tag("slow")
class LaunchedFloodTest {
    private static final int CONNECTIONS = 14_900;
    private static final int HTTP_CONNECTIONS = 1_490;

    @Test
    void httpRequests() throws Exception {
        byte[][] floods = {
            HttpTexts.TINY,
            HttpTexts.HEAD_OF_MANY_LINES,
            HttpTexts.request("GET", "/v1/openapi.json", ""),
            HttpTexts.request("GET", "/v1/keys?limit=1000", "")
        };
        try (FloodedGateway gateway = FloodedGateway.asLaunched()) {
            for (byte[] flood : floods) {
                gateway.withstands("HTTP requests with 1 GB", () -> {
                    try (LineClient client = Pipeline.lockAllKeys(gateway.client());
                            Crowd crowd = Crowd.of(gateway.httpPort(), HTTP_CONNECTIONS)) {
                        for (int i = 0; i < 5; i++) {
                            long unused = crowd.offer(flood, 64 * 1024);
                            long unusedReplies = crowd.read();
                        }
                        crowd.fill(flood);
                        assertThat(client.ping()).isEqualTo("ok");
                    }
                });
            }
        }
    }

    @Test
    void linesOfAllClients() throws Exception {
        try (FloodedGateway gateway = FloodedGateway.asLaunched()) {
            for (String command : new String[] {"ping", "stats"}) {
                gateway.withstands("unread " + command + " with 1 GB", () -> {
                    try (LineClient client = Pipeline.lockAllKeys(gateway.client());
                            Crowd crowd = Crowd.of(gateway.port(), CONNECTIONS)) {
                        crowd.fill(
                                Crowd.bytes(LineClient.frame(command, "_", "_").repeat(1_000)));
                        assertThat(client.ping()).isEqualTo("ok");
                    }
                });
            }
        }
    }
}
