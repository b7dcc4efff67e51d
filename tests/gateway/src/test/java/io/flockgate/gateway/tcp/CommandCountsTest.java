package io.flockgate.gateway.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The replies that the metrics count, by command and first word. */
@Execution(ExecutionMode.CONCURRENT)
class CommandCountsTest {
    private static final Pattern COUNT = Pattern.compile(
            "(?m)^flockgate_tcp_commands_total\\{command=\"([a-z]+)\",outcome=\"([a-z_]+)\"} ([1-9]\\d*)\\.0$");

    private static List<String> counts(TestGateway gateway) throws IOException {
        try (LineClient http = LineClient.connect(gateway.httpPort())) {
            http.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer secret\r\n"
                    + "Connection: close\r\n\r\n");
            return COUNT.matcher(http.rest())
                    .results()
                    .map(found -> found.group(1) + " " + found.group(2) + " " + found.group(3))
                    .toList();
        }
    }

    @Test
    void everyReplyIsCountedByItsCommandAndFirstWordOnAllEventLoops() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp("--event-loops=2", "--max-locks=2");
                LineClient client = gateway.client();
                LineClient other = gateway.client()) {
            client.send("""
                    l\none\n0
                    sl\nmany\n0 2
                    l\nthree\n0
                    l\none\n0
                    l\none\nsoon
                    e\none\n9
                    w\none\n0
                    sw\nmany\n0
                    se\nmany\n2
                    r\none\nnone
                    sn\nmany\nnone
                    ping\n_\n_
                    stats\n_\n_
                    auth\n_\n_
                    x\none\n_
                    """);
            for (int reply = 0; reply < 15; reply++) {
                assertThat(client.line()).isNotEmpty();
            }
            assertThat(other.ping()).isEqualTo("ok");
            other.send("l".repeat(300) + "\n");
            assertThat(other.rest()).isEqualTo("error\n");
            assertThat(counts(gateway))
                    .containsExactlyInAnyOrder(
                            "l ok 1",
                            "sl ok 1",
                            "l error_max_locks 1",
                            "l timeout 1",
                            "l error 1",
                            "e queued 1",
                            "w timeout 1",
                            "sw error_not_enqueued 1",
                            "se acquired 1",
                            "r error 1",
                            "sn error 1",
                            "ping ok 2",
                            "stats ok 1",
                            "auth error 1",
                            "invalid error 2");
        }
    }

    @Test
    void theFirstFrameIsCountedAsAuthenticationWhateverIsInIt() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp("--auth-token=secret");
                LineClient stranger = gateway.client();
                LineClient client = gateway.client()) {
            assertThat(stranger.ask("l", "key", "0")).isEqualTo("error_auth");
            assertThat(client.ask("auth", "_", "secret")).isEqualTo("ok");
            assertThat(client.ping()).isEqualTo("ok");
            assertThat(counts(gateway)).containsExactlyInAnyOrder("auth error_auth 1", "auth ok 1", "ping ok 1");
        }
    }
}
