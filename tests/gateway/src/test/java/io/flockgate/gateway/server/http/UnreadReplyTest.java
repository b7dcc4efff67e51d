package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.gateway.limits.Budget;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Clients that send requests and read no replies, and requests that wait for them. */
@Execution(ExecutionMode.CONCURRENT)
class UnreadReplyTest {
    private static final String STATS = RawHttp.request("GET", "/v1/stats", "", "");
    private static final String LARGE = RawHttp.request("GET", "/v1/openapi.json", "", "");

    /** The reports of one address that run at once, and those that run or wait. */
    private static final int RUNNING = 2;

    private static final int ADMITTED = 34;

    private final List<Socket> sockets = new ArrayList<>();

    /** A connection with a small buffer for what it does not read. */
    private Socket unread(int port) throws IOException {
        Socket socket = new Socket();
        sockets.add(socket);
        socket.setReceiveBufferSize(4096);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        return socket;
    }

    private LineClient line(TestGateway gateway) throws IOException {
        return LineClient.over(unread(gateway.port()));
    }

    /** A client of HTTP that has sent this. */
    private RawHttp http(TestGateway gateway, String requests) throws IOException {
        RawHttp http = new RawHttp(unread(gateway.httpPort()));
        http.send(requests);
        return http;
    }

    @AfterEach
    void close() throws IOException {
        for (Socket each : sockets) {
            each.close();
        }
    }

    /** So many reports wait that each place is used several times. */
    @Test
    void aClientThatReadsNoRepliesIsCutOffAndItsReportGivesItsPlaceBack() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp("--write-timeout=1");
                LineClient locks = gateway.client();
                RawHttp other = RawHttp.of(gateway.httpPort())) {
            lock(locks, 300);
            for (int i = 0; i < RUNNING; i++) {
                line(gateway).send(LineClient.frame("stats", "_", "_").repeat(1_000));
                RawHttp unused = http(gateway, STATS.repeat(1_000));
            }
            RawHttp unused = http(gateway, LARGE.repeat(50));
            LineClient pings = line(gateway);
            Thread pinging = Thread.ofVirtual().start(() -> sendThousands(pings, 2_000, new AtomicInteger()));
            for (String protocol : List.of("http", "tcp")) {
                String one = "flockgate_connections{protocol=\"" + protocol + "\"} 1.0";
                String unusedText = Polling.until(() -> other.get("/metrics").body(), metrics -> metrics.contains(one));
            }
            assertThat(pinging.join(LineClient.PATIENCE)).isTrue();
            assertThat(locks.ping()).isEqualTo("ok");
        }
    }

    @Test
    void aClientThatReadsItsRepliesLaterGetsThemAll() throws Exception {
        int pings = 2_000;
        AtomicInteger sent = new AtomicInteger();
        try (TestGateway gateway = TestGateway.start("--write-timeout=0")) {
            LineClient client = line(gateway);
            Thread sending = Thread.ofVirtual().start(() -> sendThousands(client, pings, sent));
            int before = -1;
            while (before < sent.get()) {
                before = sent.get();
                // No event tells that nothing could be sent for a while.
                Thread.sleep(300);
            }
            assertThat(sent).hasValueLessThan(pings);
            for (int i = 0; i < 1_000 * pings; i++) {
                assertThat(client.line()).isEqualTo("ok");
            }
            assertThat(sending.join(LineClient.PATIENCE)).isTrue();
        }
    }

    private static void sendThousands(LineClient client, int pings, AtomicInteger sent) {
        String thousand = LineClient.frame("ping", "_", "_").repeat(1_000);
        try {
            while (sent.get() < pings) {
                client.send(thousand);
                sent.incrementAndGet();
            }
        } catch (IOException e) {
            // Cut off: what was not sent stays uncounted.
        }
    }

    @Test
    void reportsWaitForOneAnotherAndThoseBeyondThePlacesAreRefusedAtOnce() throws Exception {
        String[] flags = {"--write-timeout=0", "--max-locks=10000", "--fleetlock-groups=one", "--fleetlock-volatile"};
        try (TestGateway gateway = TestGateway.startWithHttp(flags);
                LineClient locks = gateway.client()) {
            lock(locks, 5_000);
            List<RawHttp> slow = new ArrayList<>();
            for (int i = 0; i < RUNNING; i++) {
                slow.add(http(gateway, STATS));
                // Now it runs.
                slow.getLast().awaitBytes("HTTP/1.1 200 OK\r\n");
            }
            List<RawHttp> waiting = new ArrayList<>();
            for (String request : List.of(
                    "GET /v1/stats",
                    "GET /v1/keys",
                    "GET /v1/keys/a",
                    "GET /v1/deadlocks",
                    "GET /v1/gateways",
                    "GET /metrics",
                    "GET /v1/fleetlock/groups",
                    "GET /v1/fleetlock/groups/one",
                    "DELETE /v1/keys/a/queue/7?reason=stuck")) {
                String[] words = request.split(" ", -1);
                waiting.add(http(gateway, RawHttp.request(words[0], words[1], "", "")));
                waiting.getLast().expectNoAnswerYet();
            }
            for (int i = RUNNING + waiting.size(); i < ADMITTED; i++) {
                http(gateway, STATS).expectNoAnswerYet();
            }
            for (RawHttp each : waiting) {
                each.expectNoAnswerYet();
            }
            RawHttp last = http(gateway, STATS);
            Response refused = last.response();
            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.header("Retry-After")).contains("1");
            assertThat(refused.body())
                    .isEqualTo("{\"error\":\"overloaded\",\"detail\":\"too many lists and statistics wait\"}\n");
            ApiDocument.published().check("GET", "/v1/stats", refused);
            assertThat(last.get("/health").status())
                    .as("the connection stays open")
                    .isEqualTo(200);
            assertThat(slow.getFirst().awaitBytes("\r\n0\r\n\r\n").split("a-key-with", -1))
                    .as("a slow client gets all of its report")
                    .hasSize(1 + 5_000);
            for (RawHttp each : waiting) {
                assertThat(each.response().status()).isIn(200, 404);
            }
        }
    }

    /** An eighth of the bytes is for tokens with the right to operate. */
    @Test
    void unfinishedLinesOfStrangersLeaveRoomForThoseOfOperators() throws Exception {
        String unfinished = "auth\n_\n" + "x".repeat(60_000);
        Budget budget = new Budget(4 << 20);
        List<LineClient> operators = new ArrayList<>();
        try (TestGateway gateway = TestGateway.start(budget, "--auth-token=0123456789abcdef")) {
            for (int i = 0; i < 4; i++) {
                operators.add(line(gateway));
                assertThat(operators.getLast().ask("auth", "_", "0123456789abcdef"))
                        .isEqualTo("ok");
            }
            while (budget.used() < 3_500_000) {
                long before = budget.used();
                line(gateway).send(unfinished);
                long unused = Polling.until(budget::used, used -> used > before + 55_000);
            }
            for (LineClient each : operators) {
                each.send(unfinished);
            }
            for (LineClient each : operators) {
                each.send("\n");
                assertThat(each.line()).isEqualTo("error");
            }
        }
    }

    private static void lock(LineClient line, int many) throws IOException {
        for (int i = 0; i < many; i++) {
            line.lock("a-key-with-a-name-as-long-as-that-" + i);
        }
    }
}
