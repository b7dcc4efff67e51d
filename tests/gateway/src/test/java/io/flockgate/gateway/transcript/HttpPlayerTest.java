package io.flockgate.gateway.transcript;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** HTTP in transcripts. */
class HttpPlayerTest {
    private static final String TOKEN = "00000000000000010123456789abcdef";
    private static final String SESSION = "fedcba9876543210fedcba9876543210";
    private static final String DATE = "Date: Sat, 21 Nov 2026 19:19:37 GMT\r\n";
    private static final String CREATED =
            json("200 OK", "{\"session_id\":\"" + SESSION + "\",\"idle_timeout_s\":20}", DATE);

    @AutoClose
    private final TalkingServer server = TalkingServer.ofHttp();

    private static String json(String status, String body, String others) {
        return "HTTP/1.1 " + status + "\r\nContent-Type: application/json\r\nX-Content-Type-Options: nosniff\r\n"
                + "Content-Length: " + (body.length() + 1) + "\r\n" + others + "\r\n" + body + "\n";
    }

    @Test
    void aRequestGoesOutWithItsLengthAndItsHeaders() throws Exception {
        server.says(json("200 OK", "{}", ""));
        server.play(
                "A: http", "A> POST /v1/x%20y {\"a\":1}", "A> Authorization: Bearer x", "A> GET /health", "A< 200 {}");
        assertThat(server.heard())
                .isEqualTo("POST /v1/x%20y HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer x\r\n"
                        + "Content-Length: 7\r\n\r\n{\"a\":1}GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
    }

    @Test
    void aSessionIsCreatedAndNamedInWhatFollows() throws Exception {
        server.says(CREATED + json("200 OK", "{\"status\":\"ok\",\"token\":\"" + TOKEN + "\"}", DATE)
                + "HTTP/1.1 204 No Content\r\n" + DATE + "\r\n");
        server.play(
                "A: session",
                "A> POST /v1/locks/{\"k\" * 2}",
                "A< 200 {\"status\":\"ok\",\"token\":\"<tok1>\"}",
                "A> DELETE /v1/sessions/<sesA>",
                "A< 204");
        assertThat(server.heard())
                .isEqualTo("POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"
                        + "POST /v1/locks/kk HTTP/1.1\r\nHost: localhost\r\nX-Dflockd-Session: " + SESSION
                        + "\r\nContent-Length: 0\r\n\r\nDELETE /v1/sessions/" + SESSION
                        + " HTTP/1.1\r\nHost: localhost\r\nX-Dflockd-Session: " + SESSION + "\r\n\r\n");
    }

    @Test
    void whatImpliesNoHeadersMustNameThemAll() throws Exception {
        server.says("HTTP/1.1 200 OK\r\nContent-Type: a\r\nContent-Length: 16\r\nAllow: B\r\n" + DATE + "\r\n");
        server.play(
                "A: http", "A> HEAD /health", "A< 200", "A< Allow: B", "A< Content-Length: 16", "A< Content-Type: a");
    }

    @Test
    void anyBodyMayCome() throws Exception {
        server.says("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\nabc");
        server.play("A: http", "A> GET /metrics", "A< 200 (any body)", "A< Content-Type: text/plain");
    }

    @Test
    void aConnectionOfBytesIsReadLineByLine() throws Exception {
        server.says("HTTP/1.1 200 OK\r\n" + DATE + "\r\n{}\n");
        server.play(
                "A: raw http",
                "A>> GET / HTTP/1.1\\r\\n\\r\\n",
                "A< HTTP/1.1 200 OK\\r",
                "A< Date: <date>\\r",
                "A< \\r",
                "A< {}");
        assertThat(server.heard()).isEqualTo("GET / HTTP/1.1\r\n\r\n");
    }

    @Test
    void aDetailMayBeMissing() throws Exception {
        server.says(json("410 Gone", "{\"error\":\"x\"}", "")
                + json("410 Gone", "{\"error\":\"x\",\"detail\":\"a\\\"b\"}", ""));
        server.play(
                "A: http",
                "A> GET /a",
                "A> GET /b",
                "A< 410 {\"error\":\"x\"<detail>}",
                "A< 410 {\"error\":\"x\"<detail>}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "A< 201 {}",
                "A< 200 {\"a\":1}",
                "A< 200",
                "A< (closed)",
                "A< (nothing)",
            })
    void anotherResponseFails(String expected) {
        server.says(json("200 OK", "{}", ""));
        server.fails("t.txt:3: A expected:", "A: http", "A> GET /health", expected, "A< 200 {}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 3\r\n\r\n{}\n",
                "HTTP/1.1 200 OK\r\nX-Content-Type-Options: nosniff\r\nContent-Type: application/json\r\n"
                        + "Content-Length: 3\r\n\r\n{}\n",
                "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\nX-Content-Type-Options: nosniff\r\n"
                        + "Content-Length: 3\r\n\r\n{}\n",
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Content-Type-Options: nosniff\r\n"
                        + "Content-Length: 3\r\nServer: x\r\n\r\n{}\n",
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Content-Type-Options: nosniff\r\n"
                        + "Content-Length: 3\r\nDate: now\r\n\r\n{}\n",
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Content-Type-Options: nosniff\r\n"
                        + "Content-Length: 2\r\n\r\n{}",
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Content-Type-Options: nosniff\r\n"
                        + "Content-Length: 4\r\n\r\n{}\n\n",
                "HTTP/1.1 200 OK\nContent-Type: application/json\n\n{}\n",
                "ok\n",
            })
    void aResponseThatIsNotOursToTheByteFails(String response) {
        server.says(response);
        server.fails("t.txt:3: A expected: 200 {}", "A: http", "A> GET /health", "A< 200 {}");
    }

    @Test
    void aHeaderThatDoesNotComeFails() {
        server.says(json("200 OK", "{}", ""));
        server.fails(
                "A expected: 200 {}\n    Allow: GET\n  got:",
                "A: http",
                "A> GET /health",
                "A< 200 {}",
                "A< Allow: GET");
    }

    @Test
    void aResponseTooManyFails() {
        server.says(json("200 OK", "{}", "") + json("200 OK", "{}", ""));
        server.fails("A expected: no more replies\n  got: HTTP/1.1 200", "A: http", "A> GET /health", "A< 200 {}");
    }
}
