package io.flockgate.gateway.transcript;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** HTTP in transcripts, against a server that says what it was told to say, to the first connection only. */
class HttpPlayerTest {
    private static final String TOKEN = "00000000000000010123456789abcdef";
    private static final String SESSION = "fedcba9876543210fedcba9876543210";
    private static final String DATE = "Date: Sat, 21 Nov 2026 19:19:37 GMT\r\n";
    private static final String CREATED =
            json("200 OK", "{\"session_id\":\"" + SESSION + "\",\"idle_timeout_s\":20}", DATE);

    private ServerSocket listener;
    private CompletableFuture<String> heard;

    @BeforeEach
    void listen() throws IOException {
        listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        heard = new CompletableFuture<>();
    }

    @AfterEach
    void stop() throws IOException {
        listener.close();
    }

    private static String json(String status, String body, String others) {
        return "HTTP/1.1 " + status + "\r\nContent-Type: application/json\r\nX-Content-Type-Options: nosniff\r\n"
                + "Content-Length: " + (body.length() + 1) + "\r\n" + others + "\r\n" + body + "\n";
    }

    @Test
    void aRequestGoesOutWithItsLengthAndItsHeaders() throws Exception {
        serverSays(json("200 OK", "{}", ""));
        play("A: http", "A> POST /v1/x%20y {\"a\":1}", "A> Authorization: Bearer x", "A> GET /health", "A< 200 {}");
        assertThat(heard.get())
                .isEqualTo("POST /v1/x%20y HTTP/1.1\r\nHost: flockgate\r\nAuthorization: Bearer x\r\n"
                        + "Content-Length: 7\r\n\r\n{\"a\":1}GET /health HTTP/1.1\r\nHost: flockgate\r\n\r\n");
    }

    @Test
    void aSessionIsCreatedAndNamedInWhatFollows() throws Exception {
        serverSays(CREATED + json("200 OK", "{\"status\":\"ok\",\"token\":\"" + TOKEN + "\"}", DATE)
                + "HTTP/1.1 204 No Content\r\n" + DATE + "\r\n");
        play(
                "A: session",
                "A> POST /v1/locks/{\"k\" * 2}",
                "A< 200 {\"status\":\"ok\",\"token\":\"<tok1>\"}",
                "A> DELETE /v1/sessions/<sesA>",
                "A< 204");
        assertThat(heard.get())
                .isEqualTo("POST /v1/sessions HTTP/1.1\r\nHost: flockgate\r\nContent-Length: 0\r\n\r\n"
                        + "POST /v1/locks/kk HTTP/1.1\r\nHost: flockgate\r\nX-Dflockd-Session: " + SESSION
                        + "\r\nContent-Length: 0\r\n\r\nDELETE /v1/sessions/" + SESSION
                        + " HTTP/1.1\r\nHost: flockgate\r\nX-Dflockd-Session: " + SESSION + "\r\n\r\n");
    }

    @Test
    void whatImpliesNoHeadersMustNameThemAll() throws Exception {
        serverSays("HTTP/1.1 200 OK\r\nContent-Type: a\r\nContent-Length: 16\r\nAllow: B\r\n" + DATE + "\r\n");
        play("A: http", "A> HEAD /health", "A< 200", "A< Allow: B", "A< Content-Length: 16", "A< Content-Type: a");
    }

    @Test
    void anyBodyMayCome() throws Exception {
        serverSays("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\nabc");
        play("A: http", "A> GET /metrics", "A< 200 (any body)", "A< Content-Type: text/plain");
    }

    @Test
    void aConnectionOfBytesIsReadLineByLine() throws Exception {
        serverSays("HTTP/1.1 200 OK\r\n" + DATE + "\r\n{}\n");
        play(
                "A: raw http",
                "A>> GET / HTTP/1.1\\r\\n\\r\\n",
                "A< HTTP/1.1 200 OK\\r",
                "A< Date: <date>\\r",
                "A< \\r",
                "A< {}");
        assertThat(heard.get()).isEqualTo("GET / HTTP/1.1\r\n\r\n");
    }

    @Test
    void aDetailMayBeMissing() throws Exception {
        serverSays(json("410 Gone", "{\"error\":\"x\"}", "")
                + json("410 Gone", "{\"error\":\"x\",\"detail\":\"a\\\"b\"}", ""));
        play(
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
        serverSays(json("200 OK", "{}", ""));
        fails("t.txt:3: A expected:", "A: http", "A> GET /health", expected, "A< 200 {}");
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
        serverSays(response);
        fails("t.txt:3: A expected: 200 {}", "A: http", "A> GET /health", "A< 200 {}");
    }

    @Test
    void aHeaderThatDoesNotComeFails() {
        serverSays(json("200 OK", "{}", ""));
        fails("A expected: 200 {}\n    Allow: GET\n  got:", "A: http", "A> GET /health", "A< 200 {}", "A< Allow: GET");
    }

    @Test
    void aResponseTooManyFails() {
        serverSays(json("200 OK", "{}", "") + json("200 OK", "{}", ""));
        fails("A expected: no more replies\n  got: HTTP/1.1 200", "A: http", "A> GET /health", "A< 200 {}");
    }

    private void fails(String message, String... lines) {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> play(lines))
                .withMessageContaining(message);
    }

    private void play(String... lines) throws IOException, InterruptedException {
        try (Player player = new Player(0, listener.getLocalPort())) {
            player.play(TranscriptParser.parse("t", "t.txt", 1, List.of(lines)));
        }
    }

    /** Speaks first; then hears the client out. */
    private void serverSays(String words) {
        Thread.ofVirtual().start(() -> {
            try (Socket socket = listener.accept()) {
                socket.getOutputStream().write(words.getBytes(StandardCharsets.ISO_8859_1));
                heard.complete(new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1));
            } catch (IOException e) {
                heard.completeExceptionally(e);
            }
        });
    }
}
