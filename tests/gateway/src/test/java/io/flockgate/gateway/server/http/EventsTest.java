package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import io.flockgate.gateway.TestGateway;
import io.flockgate.gateway.server.TokensFixture;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
import io.vertx.core.Future;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;

/** The stream of events, over HTTP. */
@Execution(CONCURRENT)
class EventsTest {
    private static final String WATCHING = ": flockgate\n\n";

    private static RawHttp watch(TestGateway gateway, String query) throws IOException {
        RawHttp http = RawHttp.of(gateway.httpPort());
        http.send(RawHttp.request("GET", "/v1/events" + query, "", ""));
        http.awaitBytes(WATCHING);
        return http;
    }

    @Test
    void aSessionIsToldFromItsBeginToItsEnd() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                RawHttp watcher = watch(gateway, "");
                SessionClient rest = SessionClient.of(gateway.httpPort())) {
            watcher.awaitBytes("event: session_began\n");
            rest.lock("deploy");
            watcher.awaitBytes("event: granted\n");
            watcher.awaitBytes("\"via\":\"session\"");
            assertThat(rest.delete().status()).isEqualTo(204);
            watcher.awaitBytes("event: session_ended\n");
            LineClient line = gateway.client();
            watcher.awaitBytes("event: session_began\n");
            line.close();
            watcher.awaitBytes("event: session_ended\n");
        }
    }

    @Test
    void ordersOfOperatorsAreToldWithTheirReasons() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp("--node-name=gate-1");
                RawHttp watcher = watch(gateway, "?type=set_free,lost,removed,limit_changed,drained,undrained");
                LineClient holder = gateway.client();
                LineClient waiter = gateway.client();
                RawHttp operator = RawHttp.of(gateway.httpPort())) {
            assertThat(holder.ask("hello", "ci-7", "reasons")).isEqualTo("ok reasons");
            String fence = holder.lock("stuck").token().substring(0, 16);
            waiter.queueUp("stuck", holder, 1);
            String queue = operator.get("/v1/keys/stuck").body();
            Matcher id = Pattern.compile("\"id\":\"([^\"]+)\"").matcher(queue);
            assertThat(id.find()).as(queue).isTrue();
            order(operator, "DELETE", "/v1/keys/stuck/queue/" + id.group(1) + "?reason=why");
            assertThat(waiter.line()).isEqualTo("timeout");
            assertThat(watcher.awaitBytes("\"reason\":\"why\"}\n\n"))
                    .containsOnlyOnce("event: ")
                    .contains("event: removed\n", "\"key\":\"stuck\",\"kind\":\"lock\"")
                    .doesNotContain("fence");
            String decimal = Long.toUnsignedString(HexFormat.fromHexDigitsToLong(fence));
            order(operator, "DELETE", "/v1/keys/stuck/holders/" + decimal + "?reason=hangs+%3C");
            assertThat(watcher.awaitBytes("\"reason\":\"hangs \\u003c\"}\n\n"))
                    .contains("event: lost\n")
                    .containsPattern(
                            "event: set_free\ndata: \\{\"time\":\"[^\"]+\",\"key\":\"stuck\",\"kind\":\"lock\","
                                    + "\"conn_id\":[1-9][0-9]*,\"via\":\"connection\",\"address\":\"127.0.0.1:[0-9]+\","
                                    + "\"name\":\"ci-7\",\"gateway\":\"gate-1\",\"fence\":\"" + fence
                                    + "\",\"reason\":");
            var unusedSlot = waiter.slot("pool", 0, 1, 60);
            order(operator, "POST", "/v1/keys/pool/limit?limit=2&reason=one+more");
            assertThat(watcher.awaitBytes("\"reason\":\"one more\"}\n\n"))
                    .contains("event: limit_changed\n")
                    .contains("\"key\":\"pool\",\"kind\":\"semaphore\",\"limit\":2,\"reason\":");
            order(operator, "POST", "/v1/drain?reason=kernel");
            order(operator, "POST", "/v1/undrain");
            assertThat(watcher.awaitBytes("event: undrained\ndata: {\"time\":\""))
                    .containsPattern("event: drained\ndata: \\{\"time\":\"[^\"]+\",\"reason\":\"kernel\"}\n\n");
        }
    }

    private static void order(RawHttp operator, String method, String target) throws IOException {
        assertThat(operator.ask(method, target, "", "").status()).isEqualTo(204);
    }

    @Test
    void aTokenSeesTheEventsOfItsKeysUntilItIsTakenAway(@TempDir Path directory) throws Exception {
        Map<String, List<String>> before = Map.of("ci", List.of("read:ci/*"), "line", List.of("lock:*"));
        try (TestGateway gateway = TestGateway.startWithHttp(TokensFixture.flag(directory, before));
                RawHttp asker = RawHttp.of(gateway.httpPort());
                RawHttp watcher = RawHttp.of(gateway.httpPort());
                LineClient line = gateway.client()) {
            assertThat(line.ask("auth", "_", TokensFixture.secretOf("line"))).isEqualTo("ok");
            line.lock("prod/earlier");
            line.lock("ci/earlier");
            watcher.send(RawHttp.request("GET", "/v1/events?last=200", TokensFixture.bearer("ci"), ""));
            assertThat(watcher.awaitBytes("\"key\":\"ci/earlier\"")).containsOnlyOnce("event: ");
            line.lock("prod/before");
            line.lock("ci/before");
            assertThat(watcher.awaitBytes("\"key\":\"ci/before\"")).doesNotContain("prod");
            String unusedFlag = TokensFixture.flag(directory, Map.of("line", List.of("lock:*")));
            Response unused = Polling.until(
                    () -> asker.ask("GET", "/v1/keys", TokensFixture.bearer("ci"), ""),
                    answer -> answer.status() == 401);
            line.lock("ci/after");
            assertThat(watcher.awaitBytes("\r\n0\r\n\r\n")).doesNotContain("ci/after");
        }
    }

    @Test
    void theHeadComesAloneAndSaysThatTheAnswerMustNotBeKept() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp("--http-cors-allowed-origins=https://app.example");
                RawHttp http = RawHttp.of(gateway.httpPort())) {
            Response head = http.ask("HEAD", "/v1/events", "Origin: https://app.example\r\n", "");
            assertThat(head.status()).isEqualTo(200);
            assertThat(head.header("Content-Type")).hasValue("text/event-stream");
            assertThat(head.header("Cache-Control")).hasValue("no-store");
            assertThat(head.header("X-Accel-Buffering")).hasValue("no");
            assertThat(head.header("Access-Control-Allow-Origin")).hasValue("https://app.example");
            assertThat(http.get("/health").status()).isEqualTo(200);
        }
    }

    @Test
    void aStopEndsTheStreams() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp("--shutdown-timeout=30");
                RawHttp watcher = watch(gateway, "")) {
            Future<Void> stopped = gateway.gateway().stop();
            assertThat(watcher.rest()).endsWith("0\r\n\r\n");
            stopped.await(LineClient.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }
}
