package io.flockgate.gateway.server.http;

import static io.flockgate.gateway.server.http.RawHttp.GET;
import static io.flockgate.gateway.server.http.RawHttp.OK;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The versions of HTTP that the server speaks. */
@Execution(ExecutionMode.CONCURRENT)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HttpVersionTest {
    private static final String HOST = "Host: localhost\r\n";

    @RegisterExtension
    final HttpGateway gateway = new HttpGateway();

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
        try (RawHttp http = gateway.connect()) {
            http.send(line + "\r\n" + HOST + "\r\n" + GET);
            assertThat(http.rest())
                    .matches("(?s)HTTP/1\\.1 505 HTTP Version Not Supported\r\n.*")
                    .doesNotContain("session_id", OK);
        }
    }

    /** Ways to refuse a head before its route is known. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /ready HT\u0000P/1.1\r\nHost: localhost\r\n\r\n",
                "GET /ready HT\u00ffP/1.1\r\nHost: localhost\r\n\r\n",
                "GET /ready HTTP/1\r\n\r\n",
                "GET /ready HTTP/1.1 \r\n\r\n",
                "GET /ready\r\n\r\n",
                "\u0001\r\n\r\n",
                "POST /a HTTP/3.7\r\nHost: localhost\r\nno colon\r\n\r\n",
                "POST /a http/1.1\r\nHost: localhost\r\nContent-Length: 3, 4\r\n\r\n",
                "POST /a #HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n",
                "POST /a HTTP/1.10\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nno chunk\r\n",
                "POST /a HTTQ/1.1\r\n\r\n"
            })
    void whatTheRequestLineSaysIsNeverTheVersionOfTheAnswer(String head) throws Exception {
        try (RawHttp http = gateway.connect()) {
            http.send(head);
            assertThat(http.rest()).matches("(?s)HTTP/1\\.1 (400|505) .*");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"X: y\r\n", "X: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n"})
    void norIsThatOfAHeadThatIsTooLong(String header) throws Exception {
        try (RawHttp http = gateway.connect()) {
            http.send("POST /a HTTP/3.7\r\n" + HOST + header.repeat(600));
            assertThat(http.rest()).matches("(?s)HTTP/1\\.1 (431|505) .*");
        }
    }

    @Test
    void anOldClientGetsItsAnswerAndTheEndUnlessItMayKeepItsConnection() throws Exception {
        try (RawHttp http = gateway.connect()) {
            http.send("GET /health HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
            Response kept = http.response();
            assertThat(kept.body()).isEqualTo(OK);
            assertThat(kept.header("Connection"))
                    .hasValueSatisfying(value -> assertThat(value).isEqualToIgnoringCase("keep-alive"));
            http.send("GET /health HTTP/1.0\r\n\r\n");
            assertThat(http.lastResponse().body()).isEqualTo(OK);
        }
    }
}
