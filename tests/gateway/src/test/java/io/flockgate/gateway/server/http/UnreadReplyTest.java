package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.gateway.limits.Budget;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Clients that send requests and read no replies. */
@Execution(ExecutionMode.CONCURRENT)
class UnreadReplyTest {
    private static final String STATS = RawHttp.request("GET", "/v1/stats", "", "");
    private static final String LARGE = RawHttp.request("GET", "/v1/openapi.json", "", "");

    /** A connection with a small buffer for what it does not read. */
    private static Socket unread(int port) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(4096);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        return socket;
    }

    private static RawHttp deaf(int port) throws IOException {
        return new RawHttp(unread(port));
    }

    @Test
    void aClientThatReadsNoRepliesIsCutOff() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp("--write-timeout=1");
                LineClient line = gateway.client();
                LineClient deafLine = LineClient.over(unread(gateway.port()));
                LineClient deafPings = LineClient.over(unread(gateway.port()));
                RawHttp deaf = deaf(gateway.httpPort());
                RawHttp other = RawHttp.of(gateway.httpPort())) {
            lock(line, 300);
            deafLine.send(LineClient.frame("stats", "_", "_").repeat(1_000));
            deaf.send(LARGE.repeat(50));
            Thread pinging = Thread.ofVirtual().start(() -> sendThousands(deafPings, 2_000, new AtomicInteger()));
            for (String protocol : List.of("http", "tcp")) {
                String one = "flockgate_connections{protocol=\"" + protocol + "\"} 1.0";
                String unused = Polling.until(() -> other.get("/metrics").body(), metrics -> metrics.contains(one));
            }
            assertThat(pinging.join(LineClient.PATIENCE)).isTrue();
            assertThat(line.ping()).isEqualTo("ok");
        }
    }

    @Test
    void aClientThatReadsItsRepliesLaterGetsThemAll() throws Exception {
        int pings = 2_000;
        AtomicInteger sent = new AtomicInteger();
        try (TestGateway gateway = TestGateway.start("--write-timeout=0");
                LineClient client = LineClient.over(unread(gateway.port()))) {
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

    /** One address may run two reports. */
    @Test
    void aReportThatIsNotReadGivesItsPlaceBackAfterTheWriteTimeout() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp("--write-timeout=1", "--max-locks=10000");
                LineClient line = gateway.client()) {
            lock(line, 5_000);
            // A new connection has ten seconds for its first request, so each is opened when it sends one.
            try (RawHttp deaf = deaf(gateway.httpPort());
                    RawHttp alsoDeaf = deaf(gateway.httpPort())) {
                deaf.send(STATS);
                alsoDeaf.send(STATS);
                try (RawHttp other = RawHttp.of(gateway.httpPort())) {
                    // The third is not read before the two have had their turn.
                    assertThat(other.get("/health").status()).isEqualTo(200);
                    assertThat(other.get("/v1/stats").status()).isEqualTo(200);
                }
            }
        }
    }

    @Test
    void listingsBeyondThoseThatMayWaitAreRefusedAtOnce() throws Exception {
        List<RawHttp> deaf = new ArrayList<>();
        try (TestGateway gateway = TestGateway.startWithHttp("--write-timeout=0", "--max-locks=10000");
                LineClient line = gateway.client()) {
            lock(line, 5_000);
            for (int i = 0; i < 40; i++) {
                deaf.add(deaf(gateway.httpPort()));
            }
            for (RawHttp each : deaf) {
                each.send(STATS);
            }
            Response refused = deaf.getLast().response();
            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.header("Retry-After")).contains("1");
            assertThat(refused.body())
                    .isEqualTo("{\"error\":\"overloaded\",\"detail\":\"too many lists and statistics wait\"}\n");
            ApiDocument.published().check("GET", "/v1/stats", refused);
            // The connection stays open.
            assertThat(deaf.getLast().get("/health").status()).isEqualTo(200);
            assertThat(new JsonObject(deaf.getFirst().response().body()).getJsonArray("locks"))
                    .as("a slow client gets all of its report")
                    .hasSize(5_000);
        } finally {
            for (RawHttp each : deaf) {
                each.close();
            }
        }
    }

    /** An eighth of the bytes is for tokens with the right to operate. */
    @Test
    void unfinishedLinesOfStrangersLeaveRoomForThoseOfOperators() throws Exception {
        String unfinished = "auth\n_\n" + "x".repeat(60_000);
        Budget budget = new Budget(4 << 20);
        List<LineClient> operators = new ArrayList<>();
        List<LineClient> strangers = new ArrayList<>();
        try (TestGateway gateway = TestGateway.start(budget, "--auth-token=0123456789abcdef")) {
            for (int i = 0; i < 8; i++) {
                operators.add(gateway.client());
                assertThat(operators.getLast().ask("auth", "_", "0123456789abcdef"))
                        .isEqualTo("ok");
            }
            while (budget.used() < 3_500_000) {
                long before = budget.used();
                strangers.add(gateway.client());
                strangers.getLast().send(unfinished);
                long unused = Polling.until(budget::used, used -> used > before + 55_000);
            }
            for (LineClient each : operators) {
                each.send(unfinished);
            }
            for (LineClient each : operators) {
                each.send("\n");
                assertThat(each.line()).isEqualTo("error");
                assertThat(each.ping()).isEqualTo("ok");
            }
        } finally {
            for (LineClient each : strangers) {
                each.close();
            }
            for (LineClient each : operators) {
                each.close();
            }
        }
    }

    private static void lock(LineClient line, int many) throws IOException {
        for (int i = 0; i < many; i++) {
            line.lock("a-key-with-a-name-as-long-as-that-" + i);
        }
    }
}
