package io.flockgate.gateway.server.http;

import static io.flockgate.gateway.server.http.RawHttp.GET;
import static io.flockgate.gateway.server.http.RawHttp.OK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The versions of HTTP that the server speaks. */
@Execution(ExecutionMode.CONCURRENT)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HttpVersionTest {
    @RegisterExtension
    final HttpGateway gateway = new HttpGateway();

    private static final String HOST = "Host: localhost\r\n";

    @ParameterizedTest
    @ValueSource(strings = {"HTTP/2.0", "HTTP/0.9", "HTTP/1.2", "HTTQ/1.1"})
    void anotherVersionIsRefusedAndTheConnectionEnds(String version) throws Exception {
        try (RawHttp http = gateway.connect()) {
            http.send("POST /v1/sessions " + version + "\r\nHost: localhost\r\n\r\n" + GET);
            assertThat(http.rest())
                    .matches("(?s)HTTP/1\\.1 505 HTTP Version Not Supported\r\n.*")
                    .doesNotContain("session_id", OK);
        }
    }

    /** Every byte in the name, and every way to refuse a head before its route is known. */
    static Stream<Arguments> unreadableHeads() {
        Stream<Arguments> versions = IntStream.range(1, 256)
                .filter(b -> b != '\n' && b != 'T')
                .mapToObj(b -> arguments("GET /ready HT" + (char) b + "P/1.1\r\n" + HOST + "\r\n"));
        Stream<Arguments> faults = Stream.of("HTTP/3.7", "HTTQ/1.1", "http/1.1", "#HTTP/1.1", "HTTP/1.10")
                .flatMap(version -> Stream.of(
                                HOST + "X: " + "y".repeat(17_000),
                                HOST + "X: y\r\n".repeat(600),
                                HOST + "no colon\r\n\r\n",
                                HOST + "Content-Length: 3, 4\r\n\r\n",
                                HOST + "Transfer-Encoding: gzip\r\n\r\n",
                                HOST + "Transfer-Encoding: chunked\r\n\r\nno chunk\r\n",
                                HOST + HOST + "\r\n",
                                "\r\n")
                        .map(rest -> arguments("POST /v1/semaphores/s " + version + "\r\n" + rest)));
        Stream<Arguments> lines = Stream.of(
                        "GET /ready",
                        "GET",
                        "\u0001",
                        "GET /ready HTTP/1",
                        "GET /ready HTTP/1.1 ",
                        "GET /" + "x".repeat(5_000))
                .map(line -> arguments(line + "\r\n\r\n"));
        return Stream.of(versions, faults, lines).flatMap(each -> each);
    }

    @ParameterizedTest
    @MethodSource("unreadableHeads")
    void whatTheRequestLineSaysIsNeverTheVersionOfTheAnswer(String head) throws Exception {
        try (RawHttp http = gateway.connect()) {
            http.send(head);
            assertThat(http.rest()).matches("(?s)HTTP/1\\.1 (400|431|505) .*");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"upgrade", "prior knowledge"})
    void http2IsNotSpoken(String how) throws Exception {
        try (RawHttp http = gateway.connect()) {
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
                assertThat(http.rest()).matches("(?s)HTTP/1\\.1 505 .*");
            }
        }
    }

    @Test
    void anOldClientGetsItsAnswerAndTheEnd() throws Exception {
        try (RawHttp http = gateway.connect()) {
            http.send("GET /health HTTP/1.0\r\n\r\n");
            Response response = http.lastResponse();
            assertThat(response.status()).isEqualTo(200);
            assertThat(response.header("Transfer-Encoding")).isEmpty();
            assertThat(response.body()).isEqualTo(OK);
        }
    }

    @Test
    void anOldClientMayKeepItsConnection() throws Exception {
        try (RawHttp http = gateway.connect()) {
            for (int i = 0; i < 2; i++) {
                http.send("GET /health HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
                Response response = http.response();
                assertThat(response.body()).isEqualTo(OK);
                assertThat(response.header("Connection"))
                        .hasValueSatisfying(value -> assertThat(value).isEqualToIgnoringCase("keep-alive"));
            }
        }
    }
}
