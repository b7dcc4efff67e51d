package io.flockgate.gateway.server.http;

import static io.flockgate.gateway.server.http.RawHttp.GET;
import static io.flockgate.gateway.server.http.RawHttp.OK;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.LineClient;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The beginning and the end of a request: an ambiguous first request does not let a second one in.
 */
@Execution(ExecutionMode.CONCURRENT)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FramingTest {
    private static final AtomicInteger COUNTER = new AtomicInteger();

    @RegisterExtension
    final HttpGateway gateway = new HttpGateway();

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
        try (SessionClient smuggler = SessionClient.of(gateway.httpPort());
                LineClient looker = LineClient.connect(gateway.port())) {
            String hidden = RawHttp.request("POST", "/v1/locks/" + key + "2", smuggler.header(), "{}");
            smuggler.http()
                    .send("POST /v1/locks/" + key + "1/enqueue HTTP/1.1\r\nHost: localhost\r\n" + smuggler.header()
                            + headers + "\r\n\r\n0\r\n\r\n" + hidden);
            Response refused = smuggler.http().lastResponse();
            assertThat(refused.status()).as("%s", refused).isIn(400, 501);
            assertThat(looker.ask("stats", "_", "_")).doesNotContain(key);
        }
    }

    @ParameterizedTest
    @CsvSource({"xchunked, 400", "identity, 400", "gzip, 400", "'gzip, chunked', 501"})
    void aTransferCodingThatIsNotKnownIsRefused(String coding, int status) throws Exception {
        try (RawHttp http = gateway.connect()) {
            http.send("POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: " + coding
                    + "\r\n\r\n0\r\n\r\n");
            assertThat(http.lastResponse().status()).isEqualTo(status);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2 \r\n{}\r\n0\r\n\r\n",
                "2\t\r\n{}\r\n0\r\n\r\n",
                "x\r\n{}\r\n0\r\n\r\n",
                "-2\r\n{}\r\n0\r\n\r\n",
                "2\r\n{}0\r\n\r\n",
                "2\r\n{}xx0\r\n\r\n",
                "\r\n\r\n",
                "0x2\r\n{}\r\n0\r\n\r\n",
                "ffffffffffffffff\r\n{}\r\n",
                "10000000000000002\r\n{}\r\n0\r\n\r\n",
                " \r\n{}\r\n0\r\n\r\n",
                "2\u007f\r\n{}\r\n0\r\n\r\n",
                "2\n{}\r\n0\r\n\r\n",
                " 2\r\n{}\r\n0\r\n\r\n",
                "\t2\r\n{}\r\n0\r\n\r\n",
                "\u000b2\r\n{}\r\n0\r\n\r\n",
                "2 5\r\n{}\r\n0\r\n\r\n",
                "2\u0000\r\n{}\r\n0\r\n\r\n",
                "1\r\n{\r\n 1\r\n}\r\n0\r\n\r\n",
                "2\r\n{}\r\n 0\r\n\r\n",
            })
    void malformedChunksAreRefused(String chunks) throws Exception {
        try (SessionClient client = SessionClient.of(gateway.httpPort())) {
            String header = client.header() + "Transfer-Encoding: chunked\r\n";
            client.http().send(RawHttp.request("POST", "/v1/locks/chunks", header, chunks + GET));
            assertThat(client.http().lastResponse().status()).isEqualTo(400);
        }
    }

    /** Bytes before the request, in the same packet. The chunks begin where the decoder says. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "\r\n",
                "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "GET /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 7\r\n\r\na\n\nb\n\nc",
                "GET /health HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "GET /health HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\n\r\n",
            })
    void aBlankBeforeTheSizeOfAChunkIsRefusedBehindAnyRequest(String before) throws Exception {
        try (SessionClient client = SessionClient.of(gateway.httpPort())) {
            String header = client.header() + "Transfer-Encoding: chunked\r\n";
            String chunks = " 2\r\n{}\r\n0\r\n\r\n" + GET;
            client.http().send(before + RawHttp.request("POST", "/v1/locks/chunks", header, chunks));
            if (before.startsWith("GET")) {
                assertThat(client.http().response().body()).isEqualTo(OK);
            }
            assertThat(client.http().lastResponse().status()).isEqualTo(400);
        }
    }

    /** A chunk may contain anything, and its bytes may arrive in any pieces. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 1_000})
    void theBytesOfAChunkAreNotTakenForASize(int bytesAWrite) throws Exception {
        String path = "/v1/locks/chunk-" + COUNTER.incrementAndGet() + "/enqueue";
        String body = "{\r\n\r\n \r\n\r\n\n\n\t\r\n\r\n}";
        String chunks = Integer.toHexString(body.length()) + ";a=b\r\n" + body + "\r\n0\r\nA: b\r\n\r\n";
        try (SessionClient client = SessionClient.of(gateway.httpPort())) {
            String header = client.header() + "Transfer-Encoding: chunked\r\n";
            String request = RawHttp.request("POST", path, header, chunks + GET);
            for (int i = 0; i < request.length(); i += bytesAWrite) {
                client.http().send(request.substring(i, Math.min(request.length(), i + bytesAWrite)));
            }
            assertThat(client.http().response().outcome()).isEqualTo("acquired");
            assertThat(client.http().response().body()).isEqualTo(OK);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"2;x=y", "2 ;x", "002"})
    void whatMayFollowTheSizeOfAChunkIsIgnored(String size) throws Exception {
        String path = "/v1/locks/chunk-" + COUNTER.incrementAndGet() + "/enqueue";
        try (SessionClient client = SessionClient.of(gateway.httpPort())) {
            String header = client.header() + "Transfer-Encoding: chunked\r\n";
            client.http().send(RawHttp.request("POST", path, header, size + "\r\n{}\r\n0\r\n\r\n" + GET));
            assertThat(client.http().response().outcome()).isEqualTo("acquired");
            assertThat(client.http().response().body()).isEqualTo(OK);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET\r\n\r\n",
                "GET /health\r\n\r\n",
                "GET /health HTTP/1.1 x\r\nHost: localhost\r\n\r\n",
                "GET health HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "GE\u0000T /health HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "GET /health HTTP/1.1\r\n\r\n",
                "GET /health HTTP/1.1\r\nHost: localhost\r\nHost: y\r\n\r\n",
                "GET /hea%lth HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "l\njob\n0\n\r\n\r\n",
                "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003\r\n\r\n",
            })
    void aMalformedRequestIsRefusedAndTheConnectionEnds(String bytes) throws Exception {
        try (RawHttp http = gateway.connect()) {
            http.send(bytes + GET);
            Response refused = http.lastResponse();
            assertThat(refused.status()).as("%s", refused).isIn(400, 404, 405, 505);
            assertThat(refused.header("Content-Type").orElse("")).doesNotContain("html");
            assertThat(refused.body()).doesNotContain("Exception", "\tat ", OK);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET  /health HTTP/1.1", "GET\t/health HTTP/1.1", "GET /health  HTTP/1.1"})
    void severalBlanksInTheRequestLineAreOne(String line) throws Exception {
        try (RawHttp http = gateway.connect()) {
            http.send(line + "\r\nHost: localhost\r\n\r\n" + GET);
            assertThat(http.response().body()).isEqualTo(OK);
            assertThat(http.response().body()).isEqualTo(OK);
        }
    }

    @Test
    void aHeaderMayStandOnSeveralLines() throws Exception {
        try (SessionClient client = SessionClient.of(gateway.httpPort())) {
            String folded = client.header() + "X: a\r\n b\r\n\tc\r\nContent-Length: 2\r\n";
            assertThat(client.http()
                            .ask("POST", "/v1/locks/folded/enqueue", folded, "{}")
                            .outcome())
                    .isEqualTo("acquired");
            assertThat(client.http().get("/health").body()).isEqualTo(OK);
        }
    }

    @Test
    void aMalformedBodyThatNobodyReadsEndsTheConnection() throws Exception {
        String chunked = "Transfer-Encoding: chunked\r\n";
        try (SessionClient client = SessionClient.of(gateway.httpPort());
                RawHttp other = gateway.connect();
                RawHttp looker = gateway.connect()) {
            other.send(RawHttp.request("DELETE", "/v1/sessions/" + client.session(), chunked, "no chunk\r\n" + GET));
            assertThat(other.rest()).matches("(?s)|HTTP/1.1 204 .*").doesNotContain(OK);
            assertThat(looker.ask("POST", "/v1/sessions/" + client.session() + "/ping", "", "")
                            .status())
                    .as("it was carried out")
                    .isEqualTo(410);
        }
        try (RawHttp http = gateway.connect()) {
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
        try (RawHttp http = gateway.connect()) {
            http.send("\r\n\r\n" + GET + "\r\n" + GET);
            assertThat(http.response().body()).isEqualTo(OK);
            assertThat(http.response().body()).isEqualTo(OK);
        }
    }
}
