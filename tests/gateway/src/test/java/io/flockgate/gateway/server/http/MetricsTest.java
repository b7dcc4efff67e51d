package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The metrics that dashboards made for dflockd look for. */
@Execution(ExecutionMode.CONCURRENT)
class MetricsTest {
    private static final List<String> FAMILIES = List.of(
            "dflockd_http_requests_total",
            "dflockd_http_request_duration_seconds",
            "dflockd_ready",
            "dflockd_uptime_seconds",
            "dflockd_connections",
            "dflockd_http_sessions",
            "dflockd_locks_held",
            "dflockd_lock_waiters",
            "dflockd_semaphore_holders",
            "dflockd_semaphore_waiters");

    @Test
    void everyFamilyIsThereWithItsHelpAndType() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                RawHttp http = RawHttp.of(gateway.httpPort())) {
            assertThat(http.get("/health").status()).isEqualTo(200);
            Response response = http.get("/metrics");
            assertThat(response.status()).isEqualTo(200);
            assertThat(response.header("Content-Type")).contains("text/plain; version=0.0.4; charset=utf-8");
            assertThat(response.header("X-Content-Type-Options")).contains("nosniff");
            for (String family : FAMILIES) {
                assertThat(response.body()).contains("# HELP " + family).contains("# TYPE " + family);
            }
            assertThat(response.body())
                    .contains(
                            "dflockd_http_request_duration_seconds_sum{",
                            "dflockd_http_request_duration_seconds_count{");
        }
    }

    @Test
    void requestsAreCountedByTheirRoutes() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                SessionClient client = SessionClient.of(gateway.httpPort())) {
            client.release("secret-key", client.lock("secret-key"));
            client.lock("secret-key");
            assertThat(client.http().get("/nothing/secret-key").status()).isEqualTo(404);
            assertThat(client.http().get("/v1/locks/secret-key").status()).isEqualTo(405);
            assertThat(client.http().ask("HEAD", "/health", "", "").status()).isEqualTo(200);
            String metrics = client.http().get("/metrics").body();
            assertThat(count(metrics, "POST", "/v1/locks/{key}", 200)).isEqualTo(2);
            assertThat(count(metrics, "POST", "/v1/locks/{key}/release", 204)).isEqualTo(1);
            assertThat(count(metrics, "POST", "/v1/sessions", 200)).isEqualTo(1);
            assertThat(count(metrics, "GET", "unmatched", 404)).isEqualTo(1);
            assertThat(count(metrics, "GET", "unmatched", 405)).isEqualTo(1);
            assertThat(count(metrics, "HEAD", "/health", 200)).isEqualTo(1);
            assertThat(metrics).doesNotContain("secret-key", client.session());
        }
    }

    private static int count(String metrics, String method, String path, int status) {
        return metrics.lines()
                .filter(line -> line.startsWith("dflockd_http_requests_total{")
                        && line.contains("method=\"" + method + "\"")
                        && line.contains("path=\"" + path + "\"")
                        && line.contains("status=\"" + status + "\""))
                .mapToInt(line -> (int) Double.parseDouble(line.substring(line.lastIndexOf('}') + 2)))
                .sum();
    }

    @Test
    void theGaugesShowWhatIsHeldAndWaitedForOnBothProtocols() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                LineClient tcp = gateway.client();
                SessionClient one = SessionClient.of(gateway.httpPort());
                SessionClient two = SessionClient.of(gateway.httpPort())) {
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
                        .contains("\nflockgate_queues{le=\"1\"} 3", "\nflockgate_queues{le=\"+Inf\"} 3")
                        .containsPattern("\nflockgate_longest_hold_seconds\\{kind=\"lock\"} [0-9]")
                        .containsPattern("\ndflockd_uptime_seconds [0-9]");
            }
        }
    }

    @Test
    @DisplayName("MetricsMethodCardinalityBounded: strange methods count as OTHER")
    void strangeMethodsAndPathsMakeNoNewSeries() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                RawHttp http = RawHttp.of(gateway.httpPort())) {
            for (int i = 0; i < 100; i++) {
                String method = "BREW" + (char) ('A' + i % 26) + (char) ('A' + i / 26);
                assertThat(http.ask(method, "/health", "", "").status()).isEqualTo(405);
                assertThat(http.ask(method, "/pot-" + i, "", "").status()).isEqualTo(404);
                assertThat(http.ask("POST", "/v1/locks/key-" + i, "", "").status())
                        .isEqualTo(400);
            }
            String metrics = http.get("/metrics").body();
            assertThat(count(metrics, "OTHER", "unmatched", 405)).isEqualTo(100);
            assertThat(count(metrics, "OTHER", "unmatched", 404)).isEqualTo(100);
            assertThat(count(metrics, "POST", "/v1/locks/{key}", 400)).isEqualTo(100);
            assertThat(metrics).doesNotContain("BREW", "pot-", "key-");
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
            assertThat(metrics).doesNotContain("OPTIONS");
        }
    }

    @Test
    void valuesAreNumbers() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                RawHttp http = RawHttp.of(gateway.httpPort())) {
            assertThat(http.get("/v1/stats").status()).isEqualTo(200);
            assertThat(http.get("/metrics")
                            .body()
                            .lines()
                            .filter(line -> line.startsWith("dflockd_"))
                            .map(line -> line.substring(line.lastIndexOf(' ') + 1)))
                    .allSatisfy(
                            value -> assertThat(value).matches("[0-9]+(\\.[0-9]+)?(e[-+]?[0-9]+)?|[0-9.]+E-?[0-9]+"));
        }
    }
}
