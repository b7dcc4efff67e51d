package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
import java.io.IOException;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The metrics that a gateway counts and measures, dflockd's and ours. */
@Execution(ExecutionMode.CONCURRENT)
class MetricsTest {
    private static final Pattern COMMANDS = Pattern.compile(
            "(?m)^flockgate_tcp_commands_total\\{command=\"([a-z]+)\",outcome=\"([a-z_]+)\"} ([1-9]\\d*)\\.0$");

    @Test
    void requestsAreCountedByTheirRoutes() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                SessionClient client = SessionClient.of(gateway.httpPort())) {
            long begin = System.nanoTime();
            client.release("secret-key", client.lock("secret-key"));
            client.lock("secret-key");
            assertThat(client.http().get("/nothing/secret-key").status()).isEqualTo(404);
            assertThat(client.http().get("/v1/locks/secret-key").status()).isEqualTo(405);
            assertThat(client.http().ask("HEAD", "/health", "", "").status()).isEqualTo(200);
            assertThat(client.http().ask("BREW", "/pot", "", "").status()).isEqualTo(404);
            String metrics = client.http().get("/metrics").body();
            double seconds = (System.nanoTime() - begin) / 1e9;
            assertThat(count(metrics, "POST", "/v1/locks/{key}", 200)).isEqualTo(2);
            assertThat(count(metrics, "POST", "/v1/locks/{key}/release", 204)).isEqualTo(1);
            assertThat(count(metrics, "POST", "/v1/sessions", 200)).isEqualTo(1);
            assertThat(count(metrics, "GET", "unmatched", 404)).isEqualTo(1);
            assertThat(count(metrics, "GET", "unmatched", 405)).isEqualTo(1);
            assertThat(count(metrics, "HEAD", "/health", 200)).isEqualTo(1);
            assertThat(count(metrics, "OTHER", "unmatched", 404)).isEqualTo(1);
            assertThat(time(metrics, "count")).isEqualTo(2);
            assertThat(time(metrics, "sum")).isPositive().isLessThan(seconds);
            assertThat(metrics).doesNotContain("secret-key", client.session(), "BREW", "pot");
        }
    }

    /** The count, or the sum in seconds, of the times of acquires. */
    private static double time(String metrics, String of) {
        return value(metrics, "dflockd_http_request_duration_seconds_" + of, "POST", "/v1/locks/{key}", 200);
    }

    private static int count(String metrics, String method, String path, int status) {
        return (int) value(metrics, "dflockd_http_requests_total", method, path, status);
    }

    private static double value(String metrics, String name, String method, String path, int status) {
        return metrics.lines()
                .filter(line -> line.startsWith(name + "{")
                        && line.contains("method=\"" + method + "\"")
                        && line.contains("path=\"" + path + "\"")
                        && line.contains("status=\"" + status + "\""))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf('}') + 2)))
                .sum();
    }

    @Test
    void theGaugesShowWhatIsHeldAndWaitedForOnBothProtocols() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                LineClient tcp = gateway.client();
                SessionClient one = SessionClient.of(gateway.httpPort());
                SessionClient two = SessionClient.of(gateway.httpPort())) {
            tcp.release(tcp.lock("idle"));
            tcp.lock("a");
            one.lock("b");
            assertThat(two.enqueue("a").outcome()).isEqualTo("queued");
            two.beginLock("b", 600);
            tcp.awaitWaiters("b", 1);
            for (int i = 0; i < 3; i++) {
                assertThat(SessionClient.granted(one.post("/v1/semaphores/pool", "{\"limit\":3}")))
                        .isNotEmpty();
            }
            one.begin("/v1/semaphores/pool", "{\"limit\":3,\"acquire_timeout_s\":600}");
            tcp.awaitWaiters("pool", 1);
            try (RawHttp http = RawHttp.of(gateway.httpPort())) {
                assertThat(http.get("/metrics").body())
                        .contains("\ndflockd_ready 1")
                        .contains("\ndflockd_connections 3")
                        .contains("\ndflockd_http_sessions 2")
                        .contains("\ndflockd_locks_held 2")
                        .contains("\ndflockd_lock_waiters 2")
                        .contains("\ndflockd_semaphore_holders 3")
                        .contains("\ndflockd_semaphore_waiters 1")
                        .contains("\nflockgate_keys{state=\"in_use\"} 3", "\nflockgate_keys{state=\"idle\"} 1")
                        .contains("\nflockgate_keys_max 1024")
                        .contains("\nflockgate_connections{protocol=\"tcp\"} 1")
                        .contains("\nflockgate_connections{protocol=\"http\"} 3")
                        .contains("\nflockgate_queues{le=\"1\"} 3", "\nflockgate_queues{le=\"+Inf\"} 3")
                        .containsPattern("\nflockgate_longest_hold_seconds\\{kind=\"lock\"} [0-9]")
                        .containsPattern("\ndflockd_uptime_seconds [0-9]");
            }
        }
    }

    @Test
    void refusalsAreCountedAndPreflightsAreNot() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp(
                        "--auth-token=s3cret",
                        "--http-rate-limit-per-ip=1",
                        "--http-rate-limit-burst=2",
                        "--http-cors-allowed-origins=*");
                RawHttp http = RawHttp.of(gateway.httpPort())) {
            String preflight = "Origin: x\r\nAccess-Control-Request-Method: GET\r\n";
            for (int i = 0; i < 20; i++) {
                assertThat(http.ask("OPTIONS", "/v1/stats", preflight, "").status())
                        .isEqualTo(204);
            }
            assertThat(http.get("/v1/stats").status()).isEqualTo(401);
            TreeSet<Integer> statuses = new TreeSet<>();
            for (int i = 0; i < 200 && !statuses.contains(429); i++) {
                statuses.add(http.get("/v1/stats").status());
            }
            // Repeats the request until the rate limit admits it.
            String metrics = Polling.until(
                    () -> http.ask("GET", "/metrics", "Authorization: Bearer s3cret\r\n", "")
                            .body(),
                    body -> body.startsWith("#"));
            assertThat(count(metrics, "GET", "/v1/stats", 401) + count(metrics, "GET", "unmatched", 401))
                    .isPositive();
            assertThat(count(metrics, "GET", "/v1/stats", 429) + count(metrics, "GET", "unmatched", 429))
                    .isPositive();
            assertThat(metrics)
                    .containsPattern("\nflockgate_refused_total\\{reason=\"rate_limited\"} [1-9]")
                    .containsPattern("\nflockgate_refused_total\\{reason=\"unauthorized\"} [1-9]")
                    .doesNotContain("OPTIONS");
        }
    }

    @Test
    void capsShowWhatCountsUnderThem() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp(
                        "--max-connections=300",
                        "--http-max-connections=7",
                        "--http-max-sessions=4",
                        "--http-max-event-streams=1");
                SessionClient asking = SessionClient.of(gateway.httpPort());
                SessionClient waiting = SessionClient.of(gateway.httpPort());
                SessionClient behind = waiting.again();
                RawHttp streaming = RawHttp.of(gateway.httpPort());
                RawHttp refused = RawHttp.of(gateway.httpPort())) {
            asking.lock("k");
            waiting.beginLock("k", 60);
            behind.beginLock("k", 60);
            streaming.send(RawHttp.request("GET", "/v1/events", "", ""));
            streaming.awaitBytes(": flockgate\n\n");
            // Not read as a whole answer, because a stream would have no end.
            refused.send(RawHttp.request("GET", "/v1/events", "", ""));
            refused.awaitBytes("max_event_streams");
            String metrics = Polling.until(
                    () -> asking.http().get("/metrics").body(), text -> text.contains(cap("used", "calls", 1)));
            assertThat(metrics)
                    .contains(
                            cap("used", "http_max_connections", 5),
                            cap("max", "http_max_connections", 7),
                            cap("used", "http_max_sessions", 2),
                            cap("max", "http_max_sessions", 4),
                            cap("used", "http_max_event_streams", 1),
                            cap("max", "calls", 20_000),
                            cap("used", "max_connections", 0),
                            cap("max", "max_connections", 300),
                            cap("used", "max_locks", 1),
                            cap("max", "max_locks", 1024),
                            cap("max", "enqueued", 100_000),
                            cap("used", "reports", 1),
                            cap("max", "reports", 68),
                            cap("used", "handshakes", 0),
                            cap("used", "bytes", 0),
                            "flockgate_refused_total{reason=\"max_event_streams\"} 1.0");
            streaming.close();
            String unused = Polling.until(
                    () -> asking.http().get("/metrics").body(),
                    text -> text.contains(cap("used", "http_max_event_streams", 0)));
        }
    }

    private static String cap(String part, String cap, long value) {
        return "flockgate_cap_" + part + "{cap=\"" + cap + "\"} " + (double) value + "\n";
    }

    private static List<String> commands(TestGateway gateway) throws IOException {
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            String metrics = http.ask("GET", "/metrics", "Authorization: Bearer secret\r\n", "")
                    .body();
            return COMMANDS.matcher(metrics)
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
            assertThat(commands(gateway))
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
            assertThat(commands(gateway)).containsExactlyInAnyOrder("auth error_auth 1", "auth ok 1", "ping ok 1");
        }
    }
}
