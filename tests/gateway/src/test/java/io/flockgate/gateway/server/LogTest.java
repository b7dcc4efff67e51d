package io.flockgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The log of a process: its start, each grant, each order, each refusal, its end; also while
 * standard error is not read, as under a supervisor that hangs.
 */
@Tag("process")
@Execution(ExecutionMode.CONCURRENT)
class LogTest {
    @TempDir
    Path directory;

    @Test
    void theLogSaysWhoDidWhat() throws Exception {
        Path fences = directory.resolve("fence");
        String tokens = TokensFixture.flag(directory, Map.of("ci", List.of("lock:ci/*")));
        try (GatewayProcess server = GatewayLauncher.ofJar(
                                tokens,
                                "--log-grants",
                                "--fleetlock-groups=g",
                                "--data-dir=" + directory,
                                "--node-name=one",
                                "--fence-state-file=" + fences)
                        .withHttp()
                        .start();
                LineClient client = server.client()) {
            assertThat(client.ask("auth", "_", TokensFixture.secretOf("ci"))).isEqualTo("ok");
            assertThat(client.ask("hello", "builder", "_")).startsWith("ok");
            HeldGrant held = client.lock("ci/job");
            client.release(held);
            assertThat(client.ask("l", "prod/db", "0")).isEqualTo("error_auth");
            client.close();
            assertThat(server.stop()).isZero();
            String fence = HexFormat.of().toHexDigits(held.fence());
            assertThat(server.err())
                    .containsPattern("msg=started version=\\d\\S+ storage=memory node=one addr=127.0.0.1:\\d+"
                            + " http=127.0.0.1:\\d+ tls=off auth=tokens-file data_dir=" + directory
                            + " fence_state_file=" + fences + "\n")
                    .containsPattern("level=INFO msg=granted key=ci/job fence=" + fence
                            + " conn=1 token=ci name=builder peer=127.0.0.1:\\d+\n")
                    .containsPattern("level=INFO msg=ended key=ci/job fence=" + fence
                            + " conn=1 token=ci name=builder peer=127.0.0.1:\\d+ held_s=\\d+\\.\\d{3} how=released\n")
                    .containsPattern("level=INFO msg=audit token=ci peer=127.0.0.1:\\d+ action=l object=prod/db"
                            + " result=forbidden\n")
                    .containsPattern("level=INFO msg=stopped uptime_s=\\d+\n$")
                    .doesNotContain(held.token())
                    .doesNotContain(TokensFixture.secretOf("ci"));
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
    void whileTheLogIsNotReadEachOrderIsALineOrIsRefused() throws Exception {
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
    void aGatewayWhoseLogIsNotReadStopsAllTheSame() throws Exception {
        try (GatewayProcess server = GatewayLauncher.ofJar("--debug").start()) {
            server.stopReadingLog();
            for (int i = 0; i < 1_000; i++) {
                server.client().close();
            }
            assertThat(server.stop()).isZero();
        }
    }
}
