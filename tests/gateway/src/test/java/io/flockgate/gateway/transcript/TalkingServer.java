package io.flockgate.gateway.transcript;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.flockgate.testsupport.ScriptedServer;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * A server that sends given bytes on its connection before any request. Transcripts are played
 * against it.
 */
final class TalkingServer implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final ScriptedServer server = ScriptedServer.ofConnections(this::talk);
    private final CompletableFuture<String> heard = new CompletableFuture<>();
    private final CompletableFuture<Void> said = new CompletableFuture<>();
    private final boolean http;
    private volatile String words = "";
    private volatile boolean closes;

    private TalkingServer(boolean http) {
        this.http = http;
    }

    /** A server on the line protocol's port; nothing listens for HTTP. */
    static TalkingServer ofLines() {
        return new TalkingServer(false);
    }

    /** A server on the HTTP port; nothing listens for the line protocol. */
    static TalkingServer ofHttp() {
        return new TalkingServer(true);
    }

    /** Sends this and reads until the client closes the connection. */
    void says(String text) {
        words = text;
    }

    /** Sends this and ends its own side of the connection. */
    void saysAndCloses(String text) {
        words = text;
        closes = true;
    }

    private void talk(Socket socket) {
        try {
            socket.getOutputStream().write(words.getBytes(StandardCharsets.ISO_8859_1));
            if (closes) {
                socket.shutdownOutput();
            }
            said.complete(null);
            heard.complete(new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            said.completeExceptionally(e);
            heard.completeExceptionally(e);
        }
    }

    /** Everything that the client has sent, once it has closed the connection. */
    String heard() throws ExecutionException, InterruptedException {
        return heard.get();
    }

    void play(String... lines) throws IOException, InterruptedException {
        int port = server.port();
        try (Player player =
                new Player(http ? 0 : port, http ? port : 0, said::join, PATIENCE, (method, target, response) -> {})) {
            player.play(TranscriptParser.parse("t", "t.txt", 1, List.of(lines)));
        }
    }

    /** Plays lines that must fail with this message. */
    void fails(String message, String... lines) {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> play(lines))
                .withMessageContaining(message);
    }

    @Override
    public void close() {
        server.close();
    }
}
