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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The log of a process: its start, each grant, each order, each refusal, its end. */
@Tag("process")
@Execution(ExecutionMode.CONCURRENT)
class EventLogTest {
    @TempDir
    Path directory;

    @Test
    void theLogSaysWhoDidWhat() throws Exception {
        Path fences = directory.resolve("fence");
        String tokens =
                TokensFixture.flag(directory, Map.of("ci", List.of("lock:ci/*"), "ops", List.of("operate", "metrics")));
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
            assertThat(metrics(server))
                    .containsPattern("(?m)^flockgate_build_info\\{java=\"25[^\"]*\",version=\"\\d[^\"]+\"} 1");
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
                    .doesNotContain(TokensFixture.secretOf("ci"))
                    .doesNotContain(TokensFixture.secretOf("ops"));
        }
    }

    private static String metrics(GatewayProcess server) throws Exception {
        try (LineClient scraper = LineClient.connect(server.httpPort())) {
            scraper.send("GET /metrics HTTP/1.0\r\nHost: localhost\r\n" + TokensFixture.bearer("ops") + "\r\n");
            return scraper.rest();
        }
    }
}
