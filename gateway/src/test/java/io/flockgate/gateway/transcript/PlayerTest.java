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
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Against a server that says what it was told to say, to the first connection only. */
class PlayerTest {
    private static final String LOW = "00000000000000010123456789abcdef";
    private static final String HIGH = "0000000000000002fedcba9876543210";

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

    @Test
    void linesAreSentWithTheirLineFeedsAndPiecesWithout() throws Exception {
        serverSays("ok\n", true);
        play("A> ping", "A>> _", "A>> \\r\\n", "A> _", "A< ok", "A< (closed)");
        assertThat(heard()).isEqualTo("ping\n_\r\n_\n");
    }

    @Test
    void theExpectedRepliesPass() throws Exception {
        serverSays("ok " + LOW + "\nok " + HIGH + "\nok\nok\n", false);
        play("A: open", "A< ok <tok1>", "A< ok <tok2>", "fence <tok1> < <tok2>", "A<2 ok", "A< (nothing)");
    }

    @Test
    void anotherReplyFailsWithItsLine() {
        serverSays("timeout\n", false);
        fails("t.txt:2: A expected: ok\n  got: timeout", "A: open", "A< ok");
    }

    @Test
    void aReplyTooManyFails() {
        serverSays("ok\nok\n", false);
        fails("A expected: no more replies\n  got: ok", "A: open", "A< ok");
    }

    @Test
    void aReplyWithoutItsLineFeedFails() {
        serverSays("ok", true);
        fails("t.txt:2: A expected: ok\n  got: ok(closed)", "A: open", "A< ok");
    }

    @Test
    void anEndThatIsNotExpectedFails() {
        serverSays("", true);
        fails("t.txt:2: A expected: (nothing)\n  got: (closed)", "A: open", "A< (nothing)", "A< ok");
    }

    @Test
    void bytesBeforeTheEndFail() {
        serverSays("error\n", true);
        fails("t.txt:2: A expected: (closed)\n  got: error", "A: open", "A< (closed)");
    }

    @Test
    void fencesThatDoNotRiseFail() {
        serverSays(HIGH + "\n" + LOW + "\n", false);
        fails("t.txt:4: fence", "A: open", "A< <tok1>", "A< <tok2>", "fence <tok1> < <tok2>");
    }

    private void fails(String message, String... lines) {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> play(lines))
                .withMessageContaining(message);
    }

    private void play(String... lines) throws IOException, InterruptedException {
        try (Player player = new Player(listener.getLocalPort(), listener.getLocalPort())) {
            player.play(TranscriptParser.parse("t", "t.txt", 1, List.of(lines)));
        }
    }

    /** Speaks first; then hears the client out, unless it closes its own side before. */
    private void serverSays(String words, boolean closes) {
        Thread.ofVirtual().start(() -> {
            try (Socket socket = listener.accept()) {
                socket.getOutputStream().write(words.getBytes(StandardCharsets.ISO_8859_1));
                if (closes) {
                    socket.shutdownOutput();
                }
                heard.complete(new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1));
            } catch (IOException e) {
                heard.completeExceptionally(e);
            }
        });
    }

    private String heard() throws ExecutionException, InterruptedException {
        return heard.get();
    }
}
