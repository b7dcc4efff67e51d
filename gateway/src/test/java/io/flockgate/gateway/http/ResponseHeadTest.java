package io.flockgate.gateway.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.http.Reply.Header;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bytes that Vert.x writes for a reply. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ResponseHeadTest {
    private static final String JSON = "Content-Type: application/json\r\nX-Content-Type-Options: nosniff\r\n";
    private static final String DATE = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n";
    private static final String CLOSE = "Connection: close\r\n";
    private static final Reply OK = Reply.json(200, "{\"status\":\"ok\"}");
    private static final Reply NOT_ALLOWED =
            Reply.json(405, "{\"error\":\"method_not_allowed\"}").with("Allow", "POST");

    private final Vertx vertx = Vertx.vertx();
    private int port;
    private volatile Reply reply = OK;
    private volatile boolean last;
    private volatile boolean streaming;
    private volatile List<Header> corsHeaders = List.of();

    @BeforeAll
    void start() {
        HttpServer server = vertx.createHttpServer().requestHandler(this::answer);
        port = server.listen(0, "127.0.0.1").await().actualPort();
    }

    private void answer(HttpServerRequest request) {
        HttpServerResponse response = request.response();
        boolean http10 = request.version() == HttpVersion.HTTP_1_0;
        ResponseHead head = new ResponseHead(
                http10, request.headers().contains("Connection"), last, corsHeaders, "Sun, 06 Nov 1994 08:49:37 GMT");
        Future<Void> ended;
        if (streaming) {
            head.setStreaming(response, reply);
            ended = response.write(Buffer.buffer(reply.body())).compose(ignored -> response.end());
        } else {
            head.set(response, reply);
            ended = request.method().equals(HttpMethod.HEAD)
                    ? response.end()
                    : response.end(Buffer.buffer(reply.body()));
        }
        Future<Void> unused = ended.compose(ignored -> request.connection().close());
    }

    @AfterAll
    void stop() {
        vertx.close().await();
    }

    /** Everything that the server writes before it ends the connection. */
    private String written(Reply given, String method, String version, String connection) throws IOException {
        reply = given;
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            String request = method + " / " + version + "\r\nHost: x\r\n" + connection + "\r\n";
            socket.getOutputStream().write(request.getBytes(ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
        }
    }

    private String written(Reply given) throws IOException {
        return written(given, "GET", "HTTP/1.1", "");
    }

    private String writtenLast(Reply given, String version, String connection) throws IOException {
        last = true;
        return written(given, "GET", version, connection);
    }

    @BeforeEach
    void reset() {
        last = false;
        streaming = false;
        corsHeaders = List.of();
    }

    @Test
    void theLastReplySaysSo() throws IOException {
        assertThat(writtenLast(Reply.NO_CONTENT, "HTTP/1.1", ""))
                .isEqualTo("HTTP/1.1 204 No Content\r\n" + DATE + CLOSE + "\r\n");
        assertThat(writtenLast(Reply.NO_CONTENT, "HTTP/1.0", ""))
                .isEqualTo("HTTP/1.0 204 No Content\r\n" + DATE + CLOSE + "\r\n");
        assertThat(writtenLast(Reply.NO_CONTENT, "HTTP/1.0", "Connection: keep-alive\r\n"))
                .isEqualTo("HTTP/1.0 204 No Content\r\n" + DATE + CLOSE + "\r\n");
    }

    @Test
    void aClientThatAsksForTheEndHearsOfIt() throws IOException {
        assertThat(written(Reply.NO_CONTENT, "GET", "HTTP/1.1", CLOSE))
                .isEqualTo("HTTP/1.1 204 No Content\r\n" + DATE + CLOSE + "\r\n");
        assertThat(written(Reply.NO_CONTENT, "GET", "HTTP/1.0", ""))
                .isEqualTo("HTTP/1.0 204 No Content\r\n" + DATE + CLOSE + "\r\n");
    }

    @Test
    void anOldClientThatAsksToStayHearsThatItMay() throws IOException {
        assertThat(written(Reply.NO_CONTENT, "GET", "HTTP/1.0", "Connection: keep-alive\r\n"))
                .isEqualTo("HTTP/1.0 204 No Content\r\n" + DATE + "Connection: keep-alive\r\n\r\n");
    }

    @Test
    void theHeadersOfAReplyComeBeforeThoseForBrowsers() throws IOException {
        corsHeaders = List.of(new Header("Access-Control-Max-Age", "300"));
        assertThat(writtenLast(NOT_ALLOWED, "HTTP/1.1", ""))
                .isEqualTo("HTTP/1.1 405 Method Not Allowed\r\n" + JSON
                        + "Content-Length: 31\r\nAllow: POST\r\nAccess-Control-Max-Age: 300\r\n" + DATE
                        + CLOSE + "\r\n{\"error\":\"method_not_allowed\"}\n");
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 204, 307, 400, 401, 404, 405, 409, 410, 413, 417, 429, 431, 500, 501, 503, 505})
    void everyStatusHasItsReason(int status) throws IOException {
        assertThat(written(Reply.json(status, "{}")))
                .matches("(?s)HTTP/1\\.1 " + status + " [A-Z][^\r]+\r\n.*")
                .doesNotContain("Entity");
    }

    @Test
    void aBodyOfUnknownLengthComesInChunks() throws IOException {
        streaming = true;
        assertThat(writtenLast(OK, "HTTP/1.1", ""))
                .isEqualTo("HTTP/1.1 200 OK\r\n" + JSON + "Transfer-Encoding: chunked\r\n" + DATE + CLOSE
                        + "\r\n10\r\n{\"status\":\"ok\"}\n\r\n0\r\n\r\n");
    }

    @Test
    void forAnOldClientItEndsWithTheConnection() throws IOException {
        streaming = true;
        for (String connection : List.of("", "Connection: keep-alive\r\n")) {
            assertThat(writtenLast(OK, "HTTP/1.0", connection))
                    .isEqualTo("HTTP/1.0 200 OK\r\n" + JSON + DATE + CLOSE + "\r\n{\"status\":\"ok\"}\n");
        }
    }
}
