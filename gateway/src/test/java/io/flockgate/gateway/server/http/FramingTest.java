package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where a request begins and ends; nobody gets a second one in by an unclear first one. */
@Execution(ExecutionMode.CONCURRENT)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FramingTest {
    private static final String GET = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n";
    private static final String OK = "{\"status\":\"ok\"}\n";

    private static final AtomicInteger COUNTER = new AtomicInteger();

    private TestGateway gateway;

    @BeforeAll
    void start() {
        gateway = TestGateway.startWithHttp();
    }

    @AfterAll
    void stop() {
        gateway.close();
    }

    private RawHttp connect() throws Exception {
        return RawHttp.of(gateway.httpPort());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Transfer-Encoding: xchunked",
                "Transfer-Encoding: identity",
                "Transfer-Encoding: gzip, chunked",
                "Transfer-Encoding: chunked, identity",
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
                "Transfer-Encoding: chunked\r\nContent-Length: 5",
                "Content-Length: 5\r\nTransfer-Encoding: chunked",
                "Transfer-Encoding: \u000bchunked",
                "Transfer-Encoding:",
                "Transfer-Encoding : chunked",
                "Content-Length: 0\r\nContent-Length: 5",
                "Content-Length: 0, 5",
                "Content-Length: +0",
                "Content-Length: -1",
                "Content-Length: 0x0",
                "Content-Length: 99999999999999999999",
                "Content-Length:",
                "Content-Length : 0",
                "X: a\u0000b",
                "X\u0000: b",
                "Transfer-Encoding:\r\n\txchunked",
                "no colon",
                ": no name",
            })
    void whatIsUnclearIsRefusedAndNothingBehindItRuns(String headers) throws Exception {
        String key = "hidden-" + COUNTER.incrementAndGet() + "-";
        try (RestClient smuggler = RestClient.of(gateway.httpPort());
                LineClient looker = LineClient.connect(gateway.port())) {
            String hidden = RawHttp.request("POST", "/v1/locks/" + key + "2", smuggler.header(), "{}");
            smuggler.http()
                    .send("POST /v1/locks/" + key + "1/enqueue HTTP/1.1\r\nHost: x\r\n" + smuggler.header() + headers
                            + "\r\n\r\n0\r\n\r\n" + hidden);
            Response refused = smuggler.http().lastResponse();
            assertThat(refused.status()).as("%s", refused).isIn(400, 501);
            assertThat(looker.ask("stats", "_", "_")).doesNotContain(key);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"xchunked", "identity", "gzip", "gzip, chunked"})
    void aTransferCodingThatIsNotKnownIsNotImplemented(String coding) throws Exception {
        try (RawHttp http = connect()) {
            http.send("POST /v1/sessions HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: " + coding + "\r\n\r\n0\r\n\r\n");
            assertThat(http.lastResponse().status()).isEqualTo(501);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "x\r\n{}\r\n0\r\n\r\n",
                "-2\r\n{}\r\n0\r\n\r\n",
                "2\r\n{}0\r\n\r\n",
                "2\r\n{}xx0\r\n\r\n",
                "\r\n\r\n",
                "0x2\r\n{}\r\n0\r\n\r\n",
                "ffffffffffffffff\r\n{}\r\n",
                "10000000000000002\r\n{}\r\n0\r\n\r\n",
            })
    void malformedChunksAreRefused(String chunks) throws Exception {
        try (RestClient client = RestClient.of(gateway.httpPort())) {
            String header = client.header() + "Transfer-Encoding: chunked\r\n";
            client.http().send(RawHttp.request("POST", "/v1/locks/chunks", header, chunks + GET));
            assertThat(client.http().lastResponse().status()).isEqualTo(400);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET\r\n\r\n",
                "GET /health\r\n\r\n",
                "GET /health HTTP/1.1 x\r\nHost: x\r\n\r\n",
                "GET health HTTP/1.1\r\nHost: x\r\n\r\n",
                "GE\u0000T /health HTTP/1.1\r\nHost: x\r\n\r\n",
                "GET /health HTTP/1.1\r\n\r\n",
                "GET /health HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
                "GET /hea%lth HTTP/1.1\r\nHost: x\r\n\r\n",
                "l\njob\n0\n\r\n\r\n",
                "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003\r\n\r\n",
            })
    void aMalformedRequestIsRefusedAndTheConnectionEnds(String bytes) throws Exception {
        try (RawHttp http = connect()) {
            http.send(bytes + GET);
            Response refused = http.lastResponse();
            assertThat(refused.status()).as("%s", refused).isIn(400, 404, 405, 505);
            assertThat(refused.header("Content-Type").orElse("")).doesNotContain("html");
            assertThat(refused.body()).doesNotContain("Exception", "\tat ", OK);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"HTTP/2.0", "HTTP/0.9", "HTTP/1.2", "HTTQ/1.1"})
    void anotherVersionIsRefusedAndTheConnectionEnds(String version) throws Exception {
        try (RawHttp http = connect()) {
            http.send("POST /v1/sessions " + version + "\r\nHost: x\r\n\r\n" + GET);
            assertThat(http.rest())
                    .matches("(?s)" + version + " 505 HTTP Version Not Supported\r\n.*")
                    .doesNotContain("session_id", OK);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET  /health HTTP/1.1", "GET\t/health HTTP/1.1", "GET /health  HTTP/1.1"})
    void severalBlanksInTheRequestLineAreOne(String line) throws Exception {
        try (RawHttp http = connect()) {
            http.send(line + "\r\nHost: x\r\n\r\n" + GET);
            assertThat(http.response().body()).isEqualTo(OK);
            assertThat(http.response().body()).isEqualTo(OK);
        }
    }

    @Test
    void aHeaderMayStandOnSeveralLines() throws Exception {
        try (RestClient client = RestClient.of(gateway.httpPort())) {
            String folded = client.header() + "X: a\r\n b\r\n\tc\r\nContent-Length: 2\r\n";
            assertThat(client.http()
                            .ask("POST", "/v1/locks/folded/enqueue", folded, "{}")
                            .outcome())
                    .isEqualTo("acquired");
            assertThat(client.http().get("/health").body()).isEqualTo(OK);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"upgrade", "prior knowledge"})
    void http2IsNotSpoken(String how) throws Exception {
        try (RawHttp http = connect()) {
            if (how.equals("upgrade")) {
                Response response = http.ask(
                        "GET",
                        "/health",
                        "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
                                + "HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n",
                        "");
                assertThat(response.status()).isEqualTo(200);
                assertThat(response.body()).isEqualTo(OK);
                assertThat(http.get("/health").body()).isEqualTo(OK);
            } else {
                http.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\u0000\u0000\u0000\u0004\u0000\u0000\u0000\u0000\u0000");
                assertThat(http.rest()).matches("(?s)HTTP/2\\.0 505 .*");
            }
        }
    }

    @Test
    void aHeadMayHaveSixteenKibibytes() throws Exception {
        try (RawHttp http = connect()) {
            Response fits = http.ask("GET", "/health", "X: " + "x".repeat(16_000) + "\r\n", "");
            assertThat(fits.body()).isEqualTo(OK);
            http.send("GET /health HTTP/1.1\r\nHost: x\r\nX: " + "x".repeat(16_400));
            assertThat(http.lastResponse().status()).isEqualTo(431);
        }
        try (RawHttp http = connect()) {
            assertThat(http.get("/health?" + "x".repeat(16_000)).body()).isEqualTo(OK);
            http.send("GET /" + "x".repeat(16_400));
            assertThat(http.lastResponse().status()).isEqualTo(431);
        }
        try (RawHttp http = connect()) {
            Thread sending = Thread.ofVirtual().start(() -> sendInVain(http, "GET /" + "x".repeat(2_000_000)));
            assertThat(http.rest()).matches("(?s)|HTTP/1.[01] 4.*");
            assertThat(sending.join(LineClient.PATIENCE)).isTrue();
        }
    }

    @Test
    @Tag("slow")
    void theFirstHeadHasTenSecondsAndTheNextHaveTwoMinutes() throws Exception {
        try (RawHttp half = connect();
                RawHttp drips = connect();
                RawHttp second = connect()) {
            assertThat(second.get("/health").body()).isEqualTo(OK);
            long begun = System.nanoTime();
            half.send("GET /health HTTP/1.1\r\nHo");
            second.send("GET /health HTTP/1.1\r\nHo");
            drips.send("GET /health HTTP/1.1\r\n");
            Thread dripping = Thread.ofVirtual().start(() -> drip(drips));
            assertThat(half.rest()).isEmpty();
            assertThat(drips.rest()).isEmpty();
            assertThat(Duration.ofNanos(System.nanoTime() - begun))
                    .isBetween(Duration.ofSeconds(9), Duration.ofSeconds(19));
            assertThat(dripping.join(LineClient.PATIENCE)).isTrue();
            second.patience(Duration.ofSeconds(140));
            assertThat(second.rest()).isEmpty();
            assertThat(Duration.ofNanos(System.nanoTime() - begun))
                    .isBetween(Duration.ofSeconds(119), Duration.ofSeconds(130));
        }
    }

    @Test
    void theFirstHeadHasTheReadTimeoutIfThatIsShorter() throws Exception {
        long begun = System.nanoTime();
        try (TestGateway hasty = TestGateway.startWithHttp("--read-timeout=1");
                RawHttp silent = RawHttp.of(hasty.httpPort());
                RawHttp drips = RawHttp.of(hasty.httpPort())) {
            drips.send("GET /health HTTP/1.1\r\n");
            Thread dripping = Thread.ofVirtual().start(() -> drip(drips));
            assertThat(drips.rest()).isEmpty();
            assertThat(silent.rest()).isEmpty();
            assertThat(System.nanoTime() - begun).isGreaterThan(900_000_000L);
            assertThat(dripping.join(LineClient.PATIENCE)).isTrue();
        }
    }

    @Test
    void manyHalfHeadsDoNotHinderOthers() throws Exception {
        String part = "GET /health HTTP/1.1\r\nHost: x\r\nA: " + "a".repeat(15_000);
        try (TestGateway full = TestGateway.startWithHttp("--event-loops=1");
                RawHttp small = RawHttp.of(full.httpPort())) {
            List<RawHttp> large = new ArrayList<>();
            try {
                for (int i = 0; i < 700; i++) {
                    large.add(RawHttp.of(full.httpPort()));
                    large.getLast().send(part);
                }
                assertThat(small.get("/health").body()).isEqualTo(OK);
                for (RawHttp http : large) {
                    http.send("\r\n\r\n");
                    assertThat(http.response().body()).isEqualTo(OK);
                }
            } finally {
                for (RawHttp http : large) {
                    http.close();
                }
            }
        }
    }

    private static void sendInVain(RawHttp http, String text) {
        try {
            http.send(text);
        } catch (IOException closed) {
            // The server need not take it all.
            return;
        }
    }

    private static void drip(RawHttp http) {
        try {
            for (int i = 0; i < 200; i++) {
                http.send("X: y\r\n");
                Thread.sleep(100);
            }
        } catch (Exception closed) {
            // What was to be shown.
            return;
        }
    }

    @Test
    void anOldClientGetsItsAnswerAndTheEnd() throws Exception {
        try (RawHttp http = connect()) {
            http.send("GET /health HTTP/1.0\r\n\r\n");
            Response response = http.lastResponse();
            assertThat(response.status()).isEqualTo(200);
            assertThat(response.header("Transfer-Encoding")).isEmpty();
            assertThat(response.body()).isEqualTo(OK);
        }
    }

    @Test
    void anOldClientMayKeepItsConnection() throws Exception {
        try (RawHttp http = connect()) {
            for (int i = 0; i < 2; i++) {
                http.send("GET /health HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
                Response response = http.response();
                assertThat(response.body()).isEqualTo(OK);
                assertThat(response.header("Connection"))
                        .hasValueSatisfying(value -> assertThat(value).isEqualToIgnoringCase("keep-alive"));
            }
        }
    }

    @Test
    void answersComeInTheOrderOfTheRequests() throws Exception {
        try (RestClient holder = RestClient.of(gateway.httpPort());
                RestClient client = RestClient.of(gateway.httpPort())) {
            holder.lock("pipelined");
            StringBuilder requests = new StringBuilder();
            for (int i = 0; i < 500; i++) {
                requests.append(RawHttp.request("GET", "/health", "", ""));
                requests.append(RawHttp.request("POST", "/v1/locks/pipelined", client.header(), "{}"));
                requests.append(RawHttp.request("HEAD", "/nothing", "", ""));
            }
            client.http().send(requests.toString());
            for (int i = 0; i < 500; i++) {
                assertThat(client.http().response().body()).isEqualTo(OK);
                assertThat(client.http().response().outcome()).isEqualTo("timeout");
                assertThat(client.http().response(true).status()).isEqualTo(404);
            }
        }
    }

    @Test
    void aMalformedBodyThatNobodyReadsEndsTheConnection() throws Exception {
        String chunked = "Transfer-Encoding: chunked\r\n";
        try (RestClient client = RestClient.of(gateway.httpPort());
                RawHttp other = connect();
                RawHttp looker = connect()) {
            other.send(RawHttp.request("DELETE", "/v1/sessions/" + client.session(), chunked, "no chunk\r\n" + GET));
            assertThat(other.rest()).matches("(?s)|HTTP/1.1 204 .*").doesNotContain(OK);
            assertThat(looker.ask("POST", "/v1/sessions/" + client.session() + "/ping", "", "")
                            .status())
                    .as("it was carried out")
                    .isEqualTo(410);
        }
        try (RawHttp http = connect()) {
            http.send(RawHttp.request("GET", "/metrics", chunked, "no chunk\r\n" + GET));
            assertThat(http.rest()).matches("(?s)|HTTP/1.1 200 .*").doesNotContain(OK);
        }
    }

    @Test
    void aMalformedBodyPutsNothingIntoADocumentThatIsBeingSent() throws Exception {
        try (TestGateway full = TestGateway.startWithHttp();
                LineClient client = LineClient.connect(full.port());
                RawHttp http = RawHttp.of(full.httpPort())) {
            for (int i = 0; i < 1000; i++) {
                client.lock("a-key-with-a-name-as-long-as-that-" + i);
            }
            http.send(RawHttp.request("GET", "/v1/stats", "Transfer-Encoding: chunked\r\n", "no chunk\r\n"));
            assertThat(http.rest()).startsWith("HTTP/1.1 200 ").doesNotContain("HTTP/1.1 400", "bad_request");
        }
    }

    @Test
    void whatWasSentBehindALongPollIsAnsweredAfterIt() throws Exception {
        try (RestClient holder = RestClient.of(gateway.httpPort());
                RestClient client = RestClient.of(gateway.httpPort());
                LineClient looker = LineClient.connect(gateway.port())) {
            String token = holder.lock("behind");
            client.beginLock("behind", 600);
            client.http().send(GET.repeat(200));
            looker.awaitWaiters("behind", 1);
            client.expectSilence(Duration.ofMillis(100));
            holder.release("behind", token);
            assertThat(RestClient.granted(client.answer())).isNotEmpty();
            for (int i = 0; i < 200; i++) {
                assertThat(client.answer().body()).isEqualTo(OK);
            }
        }
    }

    @Test
    void aClientMayKeepAFewWaitingRequestsAheadForAsLongAsItLikes() throws Exception {
        int rounds = 600;
        try (RestClient holder = RestClient.of(gateway.httpPort());
                RestClient client = RestClient.of(gateway.httpPort());
                LineClient looker = LineClient.connect(gateway.port())) {
            String token = holder.lock("ahead");
            client.beginLock("ahead", 600);
            client.beginLock("ahead", 600);
            for (int i = 0; i < rounds; i++) {
                looker.awaitWaiters("ahead", 1);
                client.beginLock("ahead", 600);
                holder.release("ahead", token);
                token = RestClient.granted(client.answer());
            }
        }
    }

    @Test
    void allThatIsSentAheadOfALongPollIsAnsweredBehindIt() throws Exception {
        int ahead = 50_000;
        try (RestClient holder = RestClient.of(gateway.httpPort());
                RestClient client = RestClient.of(gateway.httpPort());
                LineClient looker = LineClient.connect(gateway.port())) {
            String token = holder.lock("flooded");
            client.beginLock("flooded", 600);
            looker.awaitWaiters("flooded", 1);
            Thread sending = Thread.ofVirtual().start(() -> sendInVain(client.http(), GET.repeat(ahead)));
            holder.release("flooded", token);
            assertThat(RestClient.granted(client.answer())).isNotEmpty();
            for (int i = 0; i < ahead; i++) {
                assertThat(client.http().response().body()).isEqualTo(OK);
            }
            assertThat(sending.join(LineClient.PATIENCE)).isTrue();
        }
    }

    @Test
    void aClientThatReadsNoAnswersIsNotServedFurther() throws Exception {
        try (TestGateway full = TestGateway.startWithHttp("--event-loops=1");
                RawHttp deaf = RawHttp.of(full.httpPort());
                RawHttp other = RawHttp.of(full.httpPort())) {
            String request = RawHttp.request("GET", "/v1/openapi.json", "", "");
            int count = 2_000;
            Thread sending = Thread.ofVirtual().start(() -> sendInVain(deaf, request.repeat(count)));
            String text = "path=\"/v1/openapi.json\",status=\"200\"}";
            long served = -1;
            for (long now = 0; now != served || now == 0; ) {
                served = now;
                now = counted(other.get("/metrics").body(), text);
            }
            assertThat(served).isLessThan(count);
            for (int i = 0; i < count; i++) {
                assertThat(deaf.response().status()).isEqualTo(200);
            }
            assertThat(sending.join(LineClient.PATIENCE)).isTrue();
        }
    }

    private static long counted(String metrics, String labels) {
        return metrics.lines()
                .filter(line -> line.startsWith("dflockd_http_requests_total") && line.contains(labels))
                .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    @Test
    void requestsAreAnsweredBeforeTheEndThatTheClientAskedFor() throws Exception {
        try (RawHttp http = connect()) {
            http.send(GET + "GET /ready HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" + GET);
            assertThat(http.response().body()).isEqualTo(OK);
            assertThat(http.lastResponse().body()).isEqualTo(OK);
        }
    }

    @Test
    void emptyLinesBeforeARequestAreForgiven() throws Exception {
        try (RawHttp http = connect()) {
            http.send("\r\n\r\n" + GET + "\r\n" + GET);
            assertThat(http.response().body()).isEqualTo(OK);
            assertThat(http.response().body()).isEqualTo(OK);
        }
    }
}
