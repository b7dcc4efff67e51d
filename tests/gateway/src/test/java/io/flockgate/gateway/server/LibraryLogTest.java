package io.flockgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.LineClient;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What clients make libraries log. */
@Tag("process")
@Execution(ExecutionMode.CONCURRENT)
class LibraryLogTest {
    private static final int CLIENTS = 500;

    @Test
    void clientsThatSendAheadAndResetDoNotFillTheLog() throws Exception {
        String ahead = "GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n"
                + "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(300);
        try (GatewayProcess server = GatewayLauncher.ofJar().withHttp().start()) {
            for (int i = 0; i < CLIENTS; i++) {
                try (LineClient client = LineClient.connect(server.httpPort())) {
                    client.send(ahead);
                    assertThat(client.line()).startsWith("HTTP/1.1 ");
                    client.reset();
                }
            }
            assertThat(server.stop()).isZero();
            assertThat(server.err().lines().filter(line -> line.contains("logger=io.")))
                    .hasSizeLessThanOrEqualTo(CLIENTS / 20);
        }
    }
}
