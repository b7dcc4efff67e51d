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
    @RegisterExtension
    final HttpGateway gateway = new HttpGateway();

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
