package io.flockgate.gateway.transcript;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.flockgate.testsupport.ScriptedServer;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the player of transcripts does not accept, from a server that sends given bytes on its
 * connection before any request. What it accepts is shown by the transcripts.
 */
class PlayerTest {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final String LOW = "00000000000000010123456789abcdef";
    private static final String HIGH = "0000000000000002fedcba9876543210";
    private static final String TYPE = "Content-Type: application/json\r\n";
    private static final String NO_SNIFF = "X-Content-Type-Options: nosniff\r\n";
    private static final String LENGTH = "Content-Length: 3\r\n";
    private static final String EMPTY = "HTTP/1.1 200 OK\r\n" + TYPE + NO_SNIFF + LENGTH + "\r\n{}\n";

    private final CompletableFuture<Void> said = new CompletableFuture<>();

    private void talk(Socket socket, String bytes, boolean closes) throws IOException {
        socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
        if (closes) {
            socket.shutdownOutput();
        }
        said.complete(null);
        byte[] unused = socket.getInputStream().readAllBytes();
    }

    private void play(boolean http, String bytes, boolean closes, List<String> lines) throws Exception {
        try (ScriptedServer server = ScriptedServer.ofConnections(socket -> talk(socket, bytes, closes));
                Player player = new Player(
                        http ? 0 : server.port(),
                        http ? server.port() : 0,
                        said::join,
                        PATIENCE,
                        (method, target, response) -> {})) {
            player.play(TranscriptParser.parse("t", "t.txt", 1, lines));
        }
    }

    private void expectFailure(boolean http, String bytes, boolean closes, String message, List<String> lines) {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> play(http, bytes, closes, lines))
                .withMessageContaining(message);
    }

    record Lines(String bytes, boolean closes, String message, List<String> transcript) {}

    static Stream<Lines> differentLines() {
        return Stream.of(
                new Lines("timeout\n", false, "t.txt:2: A expected: ok\n  got: timeout", List.of("A: open", "A< ok")),
                new Lines("ok\nok\n", false, "A expected: no more replies\n  got: ok", List.of("A: open", "A< ok")),
                new Lines("ok", true, "t.txt:2: A expected: ok\n  got: ok(closed)", List.of("A: open", "A< ok")),
                new Lines("5.01\n", false, "expected: <num 2..5>", List.of("A: open", "A< <num 2..5>")),
                new Lines("33.01\n", false, "expected: <left 33>", List.of("A: open", "A< <left 33>")),
                new Lines("60\n", false, "expected: <age>", List.of("A: open", "A< <age>")),
                new Lines(
                        "",
                        true,
                        "t.txt:2: A expected: (nothing)\n  got: (closed)",
                        List.of("A: open", "A< (nothing)", "A< ok")),
                new Lines(
                        "error\n",
                        true,
                        "t.txt:2: A expected: (closed)\n  got: error",
                        List.of("A: open", "A< (closed)")),
                new Lines(
                        HIGH + "\n" + LOW + "\n",
                        false,
                        "t.txt:4: fence",
                        List.of("A: open", "A< <tok1>", "A< <tok2>", "fence <tok1> < <tok2>")));
    }

    @ParameterizedTest
    @MethodSource("differentLines")
    void anotherReplyFailsWithItsLine(Lines lines) {
        expectFailure(false, lines.bytes(), lines.closes(), lines.message(), lines.transcript());
    }

    @ParameterizedTest
    @ValueSource(strings = {"A< 201 {}", "A< 200 {\"a\":1}", "A< 200", "A< (closed)", "A< (nothing)"})
    void anotherResponseFails(String expected) {
        List<String> transcript = List.of("A: http", "A> GET /health", expected, "A< 200 {}");
        expectFailure(true, EMPTY, false, "t.txt:3: A expected:", transcript);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK\r\n" + TYPE + LENGTH + "\r\n{}\n",
                "HTTP/1.1 200 OK\r\n" + NO_SNIFF + TYPE + LENGTH + "\r\n{}\n",
                "HTTP/1.0 200 OK\r\n" + TYPE + NO_SNIFF + LENGTH + "\r\n{}\n",
                "HTTP/1.1 200 OK\r\n" + TYPE + NO_SNIFF + LENGTH + "Server: x\r\n\r\n{}\n",
                "HTTP/1.1 200 OK\r\n" + TYPE + NO_SNIFF + LENGTH + "Date: now\r\n\r\n{}\n",
                "HTTP/1.1 200 OK\r\n" + TYPE + NO_SNIFF + "Content-Length: 2\r\n\r\n{}",
                "HTTP/1.1 200 OK\r\n" + TYPE + NO_SNIFF + "Content-Length: 4\r\n\r\n{}\n\n",
                "HTTP/1.1 200 OK\nContent-Type: application/json\n\n{}\n",
                "ok\n"
            })
    void aResponseThatIsNotOursToTheByteFails(String response) {
        List<String> transcript = List.of("A: http", "A> GET /health", "A< 200 {}");
        expectFailure(true, response, false, "t.txt:3: A expected: 200 {}", transcript);
    }

    @Test
    void aHeaderThatDoesNotComeAndAResponseTooManyFail() {
        expectFailure(
                true,
                EMPTY,
                false,
                "A expected: 200 {}\n    Allow: GET\n  got:",
                List.of("A: http", "A> GET /health", "A< 200 {}", "A< Allow: GET"));
        expectFailure(
                true,
                EMPTY + EMPTY,
                false,
                "A expected: no more replies\n  got: HTTP/1.1 200",
                List.of("A: http", "A> GET /health", "A< 200 {}"));
    }
}
