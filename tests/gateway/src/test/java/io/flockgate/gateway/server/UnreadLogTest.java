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
    /** Their log lines at DEBUG are far more than a pipe and the queue hold. */
    private static final int CLIENTS = 8_000;

    @Test
    void clientsAreServedAndLostLinesAreCounted() throws Exception {
        try (GatewayProcess server = GatewayLauncher.ofJar("--debug").start()) {
            server.stopReadingLog();
            for (int i = 0; i < CLIENTS; i++) {
                try (LineClient client = server.client()) {
                    assertThat(client.ping()).isEqualTo("ok");
                }
            }
            server.readLogAgain();
            Matcher dropped = server.awaitLog(
                    "level=WARN msg=\"log lines were dropped: standard error is not being read\" count=(\\d+)");
            assertThat(Integer.parseInt(dropped.group(1))).isPositive();
        }
    }

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
            Matcher unused = server.awaitLog("log lines were dropped");
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
            for (int i = 0; i < CLIENTS / 8; i++) {
                server.client().close();
            }
            assertThat(server.stop()).isZero();
        }
    }

    @Test
    void connectionsBeyondTheCapAreOneLineAMinute() throws Exception {
        int refused = 300;
        try (GatewayProcess server = GatewayLauncher.ofJar("--max-connections=1", "--http-max-connections=1")
                        .withHttp()
                        .start();
                LineClient client = server.client();
                LineClient http = LineClient.connect(server.httpPort())) {
            assertThat(client.ping()).isEqualTo("ok");
            http.send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertThat(http.line()).startsWith("HTTP/1.1 200 OK");
            for (int port : new int[] {server.port(), server.httpPort()}) {
                for (int i = 0; i < refused; i++) {
                    try (LineClient more = LineClient.connect(port)) {
                        assertThat(more.rest()).isEmpty();
                    }
                }
            }
            for (String flag : new String[] {"max-connections", "http-max-connections"}) {
                Matcher unused = server.awaitLog("level=WARN msg=\"a cap is reached, refusing connections\" flag=--"
                        + flag + " max=1 refused=1 peer=127.0.0.0/8");
            }
            client.close();
            http.close();
            assertThat(server.stop()).isZero();
            assertThat(server.err().lines().filter(line -> line.contains("refusing connections")))
                    .hasSizeBetween(2, refused / 4);
        }
    }

    @Test
    void wrongTokensAreLoggedOnceASecondWithTheirNumber() throws Exception {
        int wrong = 300;
        try (GatewayProcess server =
                GatewayLauncher.ofJar("--auth-token=the-right-one-of-all").start()) {
            for (int i = 0; i < wrong; i++) {
                try (LineClient client = server.client()) {
                    client.send(LineClient.frame("auth", "_", "wrong"));
                    assertThat(client.line()).isEqualTo("error_auth");
                }
            }
            Matcher line =
                    server.awaitLog("level=WARN msg=\"auth failed\" peer=127.0.0.1:\\d+ protocol=line count=(\\d+)");
            assertThat(Integer.parseInt(line.group(1))).isBetween(2, wrong);
            assertThat(server.stop()).isZero();
            assertThat(server.err().split("auth failed", -1)).hasSizeLessThan(wrong / 4);
        }
    }
}
