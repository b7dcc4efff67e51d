package io.flockgate.gateway.server.http;

import static io.flockgate.gateway.server.http.RawHttp.GET;
import static io.flockgate.gateway.server.http.RawHttp.OK;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The beginning and the end of a request: an ambiguous first request does not let a second one in.
 */
@Execution(ExecutionMode.CONCURRENT)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FramingTest {
    private static final AtomicInteger COUNTER = new AtomicInteger();

    @AutoClose
    private final TestGateway gateway = TestGateway.startWithHttp();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Transfer-Encoding: identity",
                "Transfer-Encoding: chunked\r\nContent-Length: 5",
                "Transfer-Encoding: \u000bchunked",
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
            })
    void whatIsUnclearIsRefusedAndNothingBehindItRuns(String headers) throws Exception {
        String key = "hidden-" + COUNTER.incrementAndGet() + "-";
        try (SessionClient smuggler = SessionClient.of(gateway.httpPort());
                LineClient looker = LineClient.connect(gateway.port())) {
            String hidden = RawHttp.request("POST", "/v1/locks/" + key + "2", smuggler.header(), "{}");
            smuggler.http()
                    .send("POST /v1/locks/" + key + "1/enqueue HTTP/1.1\r\nHost: localhost\r\n" + smuggler.header()
                            + headers + "\r\n\r\n0\r\n\r\n" + hidden);
            Response refused = smuggler.http().lastResponse();
            assertThat(refused.status()).as("%s", refused).isIn(400, 501);
            assertThat(refused.header("Content-Type")).contains("text/plain; charset=utf-8");
            assertThat(refused.body()).startsWith(refused.status() + " ");
            assertThat(looker.ask("stats", "_", "_")).doesNotContain(key);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "x\r\n{}\r\n0\r\n\r\n",
                "-2\r\n{}\r\n0\r\n\r\n",
                "2\r\n{}xx0\r\n\r\n",
                "\r\n\r\n",
                "ffffffffffffffff\r\n{}\r\n",
                "2\n{}\r\n0\r\n\r\n",
                " 2\r\n{}\r\n0\r\n\r\n",
                "2 5\r\n{}\r\n0\r\n\r\n",
                "2\r\n{}\r\n 0\r\n\r\n",
            })
    void malformedChunksAreRefused(String chunks) throws Exception {
        try (SessionClient client = SessionClient.of(gateway.httpPort())) {
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
                "GET health HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "GE\u0000T /health HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "GET /hea%lth HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "l\njob\n0\n\r\n\r\n",
                "\u0001\r\n\r\n",
                "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003\r\n\r\n",
                "GET /ready HT\u0000P/1.1\r\nHost: localhost\r\n\r\n",
                "GET /ready HT\u00ffP/1.1\r\nHost: localhost\r\n\r\n",
                "GET /ready HTTP/1\r\n\r\n",
                "GET /ready HTTP/1.1 \r\n\r\n",
                "POST /a HTTP/3.7\r\nHost: localhost\r\nno colon\r\n\r\n",
                "POST /a http/1.1\r\nHost: localhost\r\nContent-Length: 3, 4\r\n\r\n",
                "POST /a #HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n",
                "POST /a HTTP/1.10\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nno chunk\r\n",
                "POST /a HTTQ/1.1\r\n\r\n",
            })
    void aMalformedRequestIsRefusedInOurVersionAndTheConnectionEnds(String bytes) throws Exception {
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            http.send(bytes + GET);
            Response refused = http.lastResponse();
            assertThat(refused.version()).isEqualTo("HTTP/1.1");
            assertThat(refused.status()).as("%s", refused).isIn(400, 404, 405, 505);
            assertThat(refused.header("Content-Type").orElse("")).doesNotContain("html");
            assertThat(refused.body()).doesNotContain("Exception", "\tat ", OK);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "POST /v1/sessions HTTP/2.0",
                "POST /v1/sessions HTTP/0.9",
                "POST /v1/sessions HTTP/1.2",
                "POST /v1/sessions HTTQ/1.1",
                "PRI * HTTP/2.0"
            })
    void anotherVersionIsRefusedAndTheConnectionEnds(String line) throws Exception {
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            http.send(line + "\r\nHost: localhost\r\n\r\n" + GET);
            assertThat(http.rest())
                    .matches("(?s)HTTP/1\\.1 505 HTTP Version Not Supported\r\n.*")
                    .doesNotContain("session_id", OK);
        }
    }

    /** Too many headers, and too long ones. */
    @ParameterizedTest
    @ValueSource(ints = {1, 48})
    void aHeadThatIsTooLongIsRefusedInOurVersionToo(int length) throws Exception {
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            http.send("POST /a HTTP/3.7\r\nHost: localhost\r\n" + ("X: " + "y".repeat(length) + "\r\n").repeat(600));
            assertThat(http.rest()).matches("(?s)HTTP/1\\.1 (431|505) .*");
        }
    }

    @Test
    void anOldClientGetsItsAnswerAndTheEndUnlessItMayKeepItsConnection() throws Exception {
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            http.send("GET /health HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
            Response kept = http.response();
            assertThat(kept.body()).isEqualTo(OK);
            assertThat(kept.header("Connection"))
                    .hasValueSatisfying(value -> assertThat(value).isEqualToIgnoringCase("keep-alive"));
            http.send("GET /health HTTP/1.0\r\n\r\n");
            Response last = http.lastResponse();
            assertThat(last.body()).isEqualTo(OK);
            assertThat(last.header("Connection")).hasValue("close");
        }
    }

    /** A body of unknown length, which has no chunks in HTTP/1.0. */
    @Test
    void aStreamToAnOldClientEndsWithItsConnection() throws Exception {
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            http.send("GET /v1/events HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
            assertThat(http.awaitBytes(": flockgate\n"))
                    .contains("\r\nConnection: close\r\n")
                    .doesNotContain("chunked", "keep-alive");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET  /health HTTP/1.1", "GET\t/health HTTP/1.1", "GET /health  HTTP/1.1"})
    void severalBlanksInTheRequestLineAreOne(String line) throws Exception {
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            http.send(line + "\r\nHost: localhost\r\n\r\n" + GET);
            assertThat(http.response().body()).isEqualTo(OK);
            assertThat(http.response().body()).isEqualTo(OK);
        }
    }

    @Test
    void aMalformedBodyThatNobodyReadsEndsTheConnection() throws Exception {
        String chunked = "Transfer-Encoding: chunked\r\n";
        try (SessionClient client = SessionClient.of(gateway.httpPort());
                RawHttp other = RawHttp.of(gateway.httpPort());
                RawHttp looker = RawHttp.of(gateway.httpPort())) {
            other.send(RawHttp.request("DELETE", "/v1/sessions/" + client.session(), chunked, "no chunk\r\n" + GET));
            assertThat(other.rest()).matches("(?s)|HTTP/1.1 204 .*").doesNotContain(OK);
            assertThat(looker.ask("POST", "/v1/sessions/" + client.session() + "/ping", "", "")
                            .status())
                    .as("it was carried out")
                    .isEqualTo(410);
        }
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
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
            http.send(RawHttp.request("GET", "/v1/stats", "Transfer-Encoding: chunked\r\n", ""));
            http.awaitBytes("HTTP/1.1 200 ");
            http.send("no chunk\r\n");
            assertThat(http.rest()).doesNotContain("HTTP/1.1 400", "bad_request");
        }
    }

    @Test
    void emptyLinesBeforeARequestAreForgiven() throws Exception {
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            http.send("\r\n\r\n" + GET + "\r\n" + GET);
            assertThat(http.response().body()).isEqualTo(OK);
            assertThat(http.response().body()).isEqualTo(OK);
        }
    }

    /**
     * The router would refuse each of these before any route, without waiting for a later answer.
     */
    @ParameterizedTest
    @ValueSource(strings = {"localhost:99999", "localhost:", "[::1]:99999"})
    void aHostWithAnOddPortIsAnsweredOnceWhenTheAnswerTakesItsTime(String host) throws Exception {
        String key = "odd-" + Integer.toHexString(host.hashCode());
        String odd = "HTTP/1.1\r\nHost: " + host + "\r\n";
        try (SessionClient client = SessionClient.of(gateway.httpPort());
                LineClient holder = LineClient.connect(gateway.port())) {
            client.http().send("GET /v1/keys " + odd + "\r\n");
            assertThat(client.http().response().body()).startsWith("{\"keys\":[");
            HeldGrant held = holder.lock(key);
            client.http()
                    .send("POST /v1/locks/" + key + " " + odd + client.header()
                            + "Content-Length: 25\r\n\r\n{\"acquire_timeout_s\":600}");
            holder.awaitWaiters(key, 1);
            holder.release(held);
            assertThat(SessionClient.granted(client.answer())).isNotEmpty();
            assertThat(client.delete().status()).isEqualTo(204);
        }
    }

    @Test
    void allThatIsSentAheadOfALongPollIsAnsweredBehindIt() throws Exception {
        int ahead = 50_000;
        try (SessionClient holder = SessionClient.of(gateway.httpPort());
                SessionClient client = SessionClient.of(gateway.httpPort());
                LineClient looker = LineClient.connect(gateway.port())) {
            String token = holder.lock("flooded");
            client.beginLock("flooded", 600);
            looker.awaitWaiters("flooded", 1);
            Thread sending = Thread.ofVirtual().start(() -> client.http().sendInVain(GET.repeat(ahead)));
            holder.release("flooded", token);
            assertThat(SessionClient.granted(client.answer())).isNotEmpty();
            for (int i = 0; i < ahead; i++) {
                assertThat(client.http().response().body()).isEqualTo(OK);
            }
            assertThat(sending.join(LineClient.PATIENCE)).isTrue();
        }
    }
}
