package io.flockgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.LineClient;
import java.util.regex.Matcher;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A gateway whose standard error is not read, as under a supervisor that hangs. */
@Tag("process")
@Execution(ExecutionMode.CONCURRENT)
class UnreadLogTest {
    private static String drained(GatewayProcess server, String reason) throws Exception {
        try (LineClient operator = LineClient.connect(server.httpPort())) {
            operator.send(
                    "POST /v1/drain?reason=" + reason + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
            return operator.rest();
        }
    }

    @Test
    void eachOrderIsALineOrIsRefused() throws Exception {
        int orders = 300;
        try (GatewayProcess server = GatewayLauncher.ofJar("--log-grants", "--http-rate-limit-per-ip=0")
                        .withHttp()
                        .start();
                LineClient client = server.client()) {
            server.stopReadingLog();
            for (int i = 0; i < 12_000; i++) {
                client.send(LineClient.frame("sl", "k", "0 100000 600"));
                assertThat(client.line()).startsWith("ok");
            }
            int done = 0;
            int refused = 0;
            for (int i = 0; i < orders; i++) {
                String answer = drained(server, "order" + i);
                done += answer.startsWith("HTTP/1.1 204") ? 1 : 0;
                refused += answer.startsWith("HTTP/1.1 503") && answer.contains("\"log_full\"") ? 1 : 0;
            }
            assertThat(done + refused).isEqualTo(orders);
            assertThat(done).isBetween(256, orders - 1);
            server.readLogAgain();
            Matcher dropped = server.awaitLog(
                    "level=WARN msg=\"log lines were dropped: standard error is not being read\" count=(\\d+)");
            assertThat(Integer.parseInt(dropped.group(1))).isPositive();
            client.close();
            assertThat(server.stop()).isZero();
            assertThat(server.err().lines().filter(line -> line.contains("action=drain")))
                    .hasSize(done);
        }
    }

    @Test
    void itStopsAllTheSame() throws Exception {
        try (GatewayProcess server = GatewayLauncher.ofJar("--debug").start()) {
            server.stopReadingLog();
            for (int i = 0; i < 1_000; i++) {
                server.client().close();
            }
            assertThat(server.stop()).isZero();
        }
    }
}
