package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import io.flockgate.gateway.TestGateway;
import io.flockgate.gateway.server.TokensFixture;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
import io.vertx.core.Future;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
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
    private static final Pattern MISSED = Pattern.compile("\"missed\":([0-9]+)}");

    private static RawHttp watch(TestGateway gateway, String query) throws IOException {
        RawHttp http = RawHttp.of(gateway.httpPort());
        http.send(RawHttp.request("GET", "/v1/events" + query, "", ""));
        http.awaitBytes(WATCHING);
        return http;
    }

    @Test
    void clientsOfBothProtocolsAreTold() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                RawHttp watcher = watch(gateway, "");
                LineClient line = gateway.client()) {
            watcher.awaitBytes("event: session_began\n");
            assertThat(line.ask("hello", "ci-7", "reasons")).isEqualTo("ok reasons");
            String fence = line.lock("deploy").token().substring(0, 16);
            watcher.awaitBytes("event: granted\n");
            watcher.awaitBytes("\"name\":\"ci-7\",\"fence\":\"" + fence + "\"}\n\n");
            try (SessionClient rest = SessionClient.of(gateway.httpPort())) {
                watcher.awaitBytes("event: session_began\n");
                rest.beginLock("deploy", 60);
                watcher.awaitBytes("event: queued\n");
                watcher.awaitBytes("\"via\":\"session\"");
                line.close();
                watcher.awaitBytes("event: released\n");
                watcher.awaitBytes("event: granted\n");
                assertThat(rest.answer().status()).isEqualTo(200);
                Response busy = rest.lock("deploy", "{\"acquire_timeout_s\":0}");
                assertThat(busy.outcome()).isIn("ok", "timeout");
                watcher.awaitBytes("event: refused\n");
                watcher.awaitBytes("\"reason\":\"busy\"");
                assertThat(rest.delete().status()).isEqualTo(204);
                watcher.awaitBytes("event: session_ended\n");
            }
        }
    }

    @Test
    void anOrderOfAnOperatorIsToldWithItsReason() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp("--node-name=gate-1");
                RawHttp watcher = watch(gateway, "?prefix=stuck");
                LineClient line = gateway.client();
                RawHttp operator = RawHttp.of(gateway.httpPort())) {
            assertThat(line.ask("hello", "ci-7", "reasons")).isEqualTo("ok reasons");
            String fence = line.lock("stuck").token().substring(0, 16);
            String decimal = Long.toUnsignedString(HexFormat.fromHexDigitsToLong(fence));
            assertThat(operator.ask("DELETE", "/v1/keys/stuck/holders/99999999999999999999?reason=x", "", "")
                            .status())
                    .as("above 2^64")
                    .isEqualTo(400);
            String path = "/v1/keys/stuck/holders/" + decimal + "?reason=hangs+%3C";
            assertThat(operator.ask("DELETE", path, "", "").status()).isEqualTo(204);
            String told = watcher.awaitBytes("\"reason\":\"hangs \\u003c\"}\n\n");
            assertThat(told)
                    .contains("event: lost\n")
                    .containsPattern(
                            "event: set_free\ndata: \\{\"time\":\"[^\"]+\",\"key\":\"stuck\",\"kind\":\"lock\","
                                    + "\"conn_id\":[1-9][0-9]*,\"via\":\"connection\",\"address\":\"127.0.0.1:[0-9]+\","
                                    + "\"name\":\"ci-7\",\"gateway\":\"gate-1\",\"fence\":\"" + fence
                                    + "\",\"reason\":");
        }
    }

    @Test
    void aWaiterThatAnOperatorRemovesIsToldWithTheReason() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                RawHttp watcher = watch(gateway, "?type=removed");
                LineClient holder = gateway.client();
                LineClient waiter = gateway.client();
                RawHttp operator = RawHttp.of(gateway.httpPort())) {
            holder.lock("job");
            assertThat(waiter.ask("hello", "ci-8", "reasons")).isEqualTo("ok reasons");
            waiter.queueUp("job", holder, 1);
            String queue = operator.get("/v1/keys/job").body();
            Matcher id = Pattern.compile("\"id\":\"([^\"]+)\"").matcher(queue);
            assertThat(id.find()).as(queue).isTrue();
            String path = "/v1/keys/job/queue/";
            assertThat(operator.ask("DELETE", path + "1234?reason=wrong", "", "")
                            .status())
                    .isEqualTo(404);
            assertThat(operator.ask("DELETE", path + id.group(1) + "?reason=why", "", "")
                            .status())
                    .isEqualTo(204);
            assertThat(waiter.line()).isEqualTo("timeout");
            assertThat(watcher.awaitBytes("\"reason\":\"why\"}\n\n"))
                    .containsOnlyOnce("event: ")
                    .contains("event: removed\n", "\"key\":\"job\",\"kind\":\"lock\"", "\"name\":\"ci-8\"")
                    .doesNotContain("fence");
        }
    }

    @Test
    void theBeginningAndTheEndOfADrainAreTold() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                RawHttp watcher = watch(gateway, "?type=drained,undrained");
                RawHttp operator = RawHttp.of(gateway.httpPort())) {
            assertThat(operator.ask("POST", "/v1/drain?reason=kernel", "", "").status())
                    .isEqualTo(204);
            assertThat(operator.ask("POST", "/v1/undrain", "", "").status()).isEqualTo(204);
            assertThat(watcher.awaitBytes("event: undrained\ndata: {\"time\":\""))
                    .containsPattern("event: drained\ndata: \\{\"time\":\"[^\"]+\",\"reason\":\"kernel\"}\n\n");
        }
    }

    @Test
    void oneAddressDoesNotShutOutTheOthers() throws Exception {
        List<RawHttp> greedy = new ArrayList<>();
        try (TestGateway gateway = TestGateway.startWithHttp("--host=::");
                RawHttp other = new RawHttp(new Socket(InetAddress.ofLiteral("::1"), gateway.httpPort()))) {
            // The first request of a connection must arrive within ten seconds.
            assertThat(other.get("/health").status()).isEqualTo(200);
            for (int i = 0; i < 4; i++) {
                greedy.add(watch(gateway, ""));
            }
            try (RawHttp one = RawHttp.of(gateway.httpPort())) {
                for (int i = 0; i < 100; i++) {
                    // If admitted, a stream of events would have no end.
                    one.send(RawHttp.request("GET", "/v1/events", "", ""));
                    one.awaitBytes("{\"error\":\"max_event_streams_per_ip\"");
                }
            }
            other.send(RawHttp.request("GET", "/v1/events", "", ""));
            other.awaitBytes(WATCHING);
            greedy.removeFirst().close();
            String unused = Polling.until(() -> answer(gateway), answer -> answer.startsWith("HTTP/1.1 200"));
        } finally {
            for (RawHttp each : greedy) {
                each.close();
            }
        }
    }

    @Test
    void aTokenSeesTheEventsOfItsKeysOnly(@TempDir Path directory) throws Exception {
        Map<String, List<String>> rights = Map.of("ci", List.of("read:ci/*", "lock:*"), "blind", List.of("lock:*"));
        try (TestGateway gateway = TestGateway.startWithHttp(TokensFixture.flag(directory, rights));
                RawHttp blind = RawHttp.of(gateway.httpPort());
                RawHttp watcher = RawHttp.of(gateway.httpPort());
                LineClient line = gateway.client()) {
            assertThat(blind.ask("GET", "/v1/events?type=nothing", TokensFixture.bearer("blind"), "")
                            .status())
                    .isEqualTo(403);
            watcher.send(RawHttp.request("GET", "/v1/events", TokensFixture.bearer("ci"), ""));
            watcher.awaitBytes(WATCHING);
            assertThat(line.ask("auth", "_", TokensFixture.secretOf("ci"))).isEqualTo("ok");
            line.lock("prod/db");
            line.lock("ci/build");
            String told = watcher.awaitBytes("\"key\":\"ci/build\"");
            assertThat(told).containsOnlyOnce("event: ").doesNotContain("prod");
        }
    }

    @Test
    void theLastEventsComeFirst() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                LineClient line = gateway.client()) {
            assertThat(line.ask("hello", "ci-7", "reasons")).isEqualTo("ok reasons");
            for (int i = 1; i <= 300; i++) {
                HeldGrant grant = line.lock("ci/" + i);
                line.release(grant);
            }
            String told;
            try (RawHttp watcher = watch(gateway, "?last=3&prefix=ci/")) {
                told = watcher.awaitBytes("event: released\ndata: {") + watcher.awaitBytes("\"key\":\"ci/300\"");
                line.lock("ci/now");
                told += watcher.awaitBytes("\"key\":\"ci/now\"");
            }
            assertThat(told.split("event: ", -1)).hasSize(1 + 4);
            assertThat(told).contains("\"key\":\"ci/299\"", "\"name\":\"ci-7\"");
            try (RawHttp watcher = watch(gateway, "?last=200&key=ci/299")) {
                assertThat(watcher.awaitBytes("event: released\n")).containsOnlyOnce("event: granted\n");
            }
            try (RawHttp http = RawHttp.of(gateway.httpPort())) {
                assertThat(http.get("/v1/events?last=201").error()).isEqualTo("bad_request");
            }
        }
    }

    @Test
    void theLastEventsAreThoseOfTheTokensKeys(@TempDir Path directory) throws Exception {
        Map<String, List<String>> rights = Map.of("ci", List.of("read:ci/*", "lock:*"));
        try (TestGateway gateway = TestGateway.startWithHttp(TokensFixture.flag(directory, rights));
                RawHttp watcher = RawHttp.of(gateway.httpPort());
                LineClient line = gateway.client()) {
            assertThat(line.ask("auth", "_", TokensFixture.secretOf("ci"))).isEqualTo("ok");
            line.lock("prod/db");
            line.lock("ci/build");
            watcher.send(RawHttp.request("GET", "/v1/events?last=200", TokensFixture.bearer("ci"), ""));
            String told = watcher.awaitBytes("\"key\":\"ci/build\"");
            assertThat(told).containsOnlyOnce("event: ").doesNotContain("prod");
        }
    }

    @Test
    void aTokenThatIsTakenAwaySeesNoMoreEvents(@TempDir Path directory) throws Exception {
        Map<String, List<String>> before = Map.of("ci", List.of("read:ci/*"), "line", List.of("lock:*"));
        try (TestGateway gateway = TestGateway.startWithHttp(TokensFixture.flag(directory, before));
                RawHttp asker = RawHttp.of(gateway.httpPort());
                RawHttp watcher = RawHttp.of(gateway.httpPort());
                LineClient line = gateway.client()) {
            assertThat(line.ask("auth", "_", TokensFixture.secretOf("line"))).isEqualTo("ok");
            watcher.send(RawHttp.request("GET", "/v1/events", TokensFixture.bearer("ci"), ""));
            watcher.awaitBytes(WATCHING);
            line.lock("ci/before");
            watcher.awaitBytes("\"key\":\"ci/before\"");
            String unusedFlag = TokensFixture.flag(directory, Map.of("line", List.of("lock:*")));
            Response unused = Polling.until(
                    () -> asker.ask("GET", "/v1/keys", TokensFixture.bearer("ci"), ""),
                    answer -> answer.status() == 401);
            line.lock("ci/after");
            assertThat(watcher.awaitBytes("\r\n0\r\n\r\n")).doesNotContain("ci/after");
        }
    }

    @Test
    void aLeaseThatRunsOutIsTold() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                RawHttp watcher = watch(gateway, "?prefix=ci/&type=expired");
                LineClient line = gateway.client()) {
            HeldGrant unused = line.lock("other", 0, 1);
            HeldGrant expiring = line.lock("ci/build", 0, 1);
            String fence = expiring.token().substring(0, 16);
            String told = watcher.awaitBytes("\"fence\":\"" + fence + "\"");
            assertThat(told).containsOnlyOnce("event: ").contains("event: expired\n", "\"key\":\"ci/build\"");
        }
    }

    @Test
    void theAnswerIsOneThatGoesOn() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                RawHttp http = RawHttp.of(gateway.httpPort())) {
            http.send(RawHttp.request("GET", "/v1/events", "", ""));
            assertThat(http.awaitBytes("\r\n\r\n"))
                    .startsWith("HTTP/1.1 200 OK\r\n")
                    .contains("Content-Type: text/event-stream\r\n", "Transfer-Encoding: chunked\r\n");
            try (RawHttp old = RawHttp.of(gateway.httpPort())) {
                old.send("GET /v1/events HTTP/1.0\r\n\r\n");
                assertThat(old.awaitBytes("\r\n\r\n"))
                        .contains("Connection: close\r\n")
                        .doesNotContain("chunked");
                old.awaitBytes(WATCHING);
            }
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
    void clientsBeyondTheBoundWaitForRoom() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp("--host=::", "--http-max-event-streams=2");
                RawHttp first = watch(gateway, "");
                RawHttp second = new RawHttp(new Socket(InetAddress.ofLiteral("::1"), gateway.httpPort()));
                RawHttp third = RawHttp.of(gateway.httpPort())) {
            second.send(RawHttp.request("GET", "/v1/events?type=lost", "", ""));
            second.awaitBytes(WATCHING + "\r\n");
            assertThat(third.get("/v1/events").error()).isEqualTo("max_event_streams");
            assertThat(third.ask("HEAD", "/v1/events", "", "").status()).isEqualTo(200);
            first.close();
            String unused = Polling.until(() -> answer(gateway), answer -> answer.startsWith("HTTP/1.1 200"));
            second.expectNoAnswerYet();
        }
    }

    /**
     * The beginning of the answer to one more client, which then disconnects. There is room once
     * the server has noticed that a client has disconnected.
     */
    private static String answer(TestGateway gateway) throws IOException {
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            http.send(RawHttp.request("GET", "/v1/events", "", ""));
            return http.awaitBytes("\r\n");
        }
    }

    @Test
    void aSlowReaderLearnsHowManyEventsItHasMissed() throws Exception {
        int refusals = 12_000;
        String key = "k".repeat(250);
        try (TestGateway gateway = TestGateway.startWithHttp("--write-timeout=0");
                RawHttp slow = slow(gateway);
                LineClient holder = gateway.client();
                LineClient line = gateway.client()) {
            slow.send(RawHttp.request("GET", "/v1/events?prefix=k&type=refused,granted", "", ""));
            slow.awaitBytes(WATCHING);
            holder.lock(key);
            assertThat(line.ask("hello", "n".repeat(128), "reasons")).isEqualTo("ok reasons");
            for (int i = 0; i < refusals; i += 1_000) {
                line.send(LineClient.frame("l", key, "0").repeat(1_000));
                for (int j = 0; j < 1_000; j++) {
                    assertThat(line.line()).isEqualTo("timeout");
                }
            }
            holder.lock("k-last");
            String text = slow.awaitBytes("\"key\":\"k-last\"");
            long missed = sum(text);
            assertThat(missed).isPositive();
            assertThat(missed + text.split("event: (refused|granted)", -1).length - 1)
                    .isEqualTo(refusals + 2);
        }
    }

    /** A client with a small buffer for what it does not read. */
    private static RawHttp slow(TestGateway gateway) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(4096);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), gateway.httpPort()));
        return new RawHttp(socket);
    }

    private static long sum(String text) {
        Matcher matcher = MISSED.matcher(text);
        long sum = 0;
        while (matcher.find()) {
            sum += Long.parseLong(matcher.group(1));
        }
        return sum;
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
