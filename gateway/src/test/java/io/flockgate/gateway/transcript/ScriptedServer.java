package io.flockgate.gateway.transcript;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** A server that sends given bytes to its first connection, before any request. Transcripts are played against it. */
final class ScriptedServer implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final ServerSocket listener;
    private final CompletableFuture<String> heard = new CompletableFuture<>();
    private final CompletableFuture<Void> said = new CompletableFuture<>();
    private final boolean http;

    private ScriptedServer(boolean http) {
        this.http = http;
        try {
            listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A server in the place of the line protocol's port; nothing listens for HTTP. */
    static ScriptedServer ofLines() {
        return new ScriptedServer(false);
    }

    /** A server in the place of the HTTP port; nothing listens for the line protocol. */
    static ScriptedServer ofHttp() {
        return new ScriptedServer(true);
    }

    /** Says this and hears the client out. */
    void says(String words) {
        says(words, false);
    }

    /** Says this and ends its own side of the connection. */
    void saysAndCloses(String words) {
        says(words, true);
    }

    private void says(String words, boolean closes) {
        Thread.ofVirtual().start(() -> {
            try (Socket socket = listener.accept()) {
                socket.getOutputStream().write(words.getBytes(StandardCharsets.ISO_8859_1));
                if (closes) {
                    socket.shutdownOutput();
                }
                boolean unused = said.complete(null);
                heard.complete(new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1));
            } catch (IOException e) {
                said.completeExceptionally(e);
                heard.completeExceptionally(e);
            }
        });
    }

    /** Everything that the client has sent, once it has closed the connection. */
    String heard() throws ExecutionException, InterruptedException {
        return heard.get();
    }

    void play(String... lines) throws IOException, InterruptedException {
        int port = listener.getLocalPort();
        try (Player player = new Player(http ? 0 : port, http ? port : 0, said::join, PATIENCE)) {
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
    public void close() throws IOException {
        listener.close();
    }
}
