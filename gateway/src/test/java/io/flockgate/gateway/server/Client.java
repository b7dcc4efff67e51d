package io.flockgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** A blocking client of the line protocol, in bytes as Latin-1 text. No read waits for longer than {@link #PATIENCE}. */
public final class Client implements AutoCloseable {
    public static final Duration PATIENCE = Duration.ofSeconds(20);

    private static final String GRANTED = "ok [0-9a-f]{32} [0-9]+";

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;

    Client(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(Math.toIntExact(PATIENCE.toMillis()));
        in = new BufferedInputStream(socket.getInputStream());
        out = socket.getOutputStream();
    }

    public static Client of(int port) throws IOException {
        return new Client(new Socket(InetAddress.getLoopbackAddress(), port));
    }

    public Socket socket() {
        return socket;
    }

    public void send(String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** The next line without its line feed. */
    public String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                throw new AssertionError("closed after '" + line.toString(StandardCharsets.ISO_8859_1) + "'");
            }
            line.write(b);
        }
        return line.toString(StandardCharsets.ISO_8859_1);
    }

    /** One request and its reply. */
    public String ask(String command, String key, String argument) throws IOException {
        send(frame(command, key, argument));
        return line();
    }

    public static String frame(String command, String key, String argument) {
        return command + "\n" + key + "\n" + argument + "\n";
    }

    public String ping() throws IOException {
        return ask("ping", "_", "_");
    }

    /** Pings until the answer is another one, which is given. */
    public String pingUntilRefused() throws IOException {
        String answer = ping();
        while (answer.equals("ok")) {
            pause();
            answer = ping();
        }
        return answer;
    }

    /** Takes a lock that is free, for 60 seconds; its token. */
    @CanIgnoreReturnValue
    public String lock(String key) throws IOException {
        return token(ask("l", key, "0 60"));
    }

    /** The token of a grant. */
    public static String token(String granted) {
        assertThat(granted).matches(GRANTED);
        return granted.split(" ", -1)[1];
    }

    public void release(String key, String token) throws IOException {
        assertThat(ask("r", key, token)).isEqualTo("ok");
    }

    /** Reads to the end; what came before it. A reset is an end too. */
    public String rest() throws IOException {
        ByteArrayOutputStream rest = new ByteArrayOutputStream();
        try {
            for (int b = in.read(); b >= 0; b = in.read()) {
                rest.write(b);
            }
        } catch (SocketTimeoutException e) {
            throw new AssertionError("not closed after '" + rest.toString(StandardCharsets.ISO_8859_1) + "'", e);
        } catch (IOException e) {
            return rest.toString(StandardCharsets.ISO_8859_1);
        }
        return rest.toString(StandardCharsets.ISO_8859_1);
    }

    /** Nothing to read now, and not closed either. */
    public void expectSilence(Duration howLong) throws IOException {
        socket.setSoTimeout(Math.toIntExact(howLong.toMillis()));
        try {
            int b = in.read();
            throw new AssertionError(b < 0 ? "closed" : "a byte came: " + (char) b);
        } catch (SocketTimeoutException expected) {
            socket.setSoTimeout(Math.toIntExact(PATIENCE.toMillis()));
        }
    }

    /** Ends the sending side only. */
    public void halfClose() throws IOException {
        socket.shutdownOutput();
    }

    /** Ends with a reset where close would end with a farewell. */
    public void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    /** Asks for the statistics until they match. */
    public void awaitStats(String regex) throws IOException {
        long giveUp = System.nanoTime() + PATIENCE.toNanos();
        String stats = ask("stats", "_", "_");
        while (!stats.matches(".*" + regex + ".*")) {
            if (System.nanoTime() - giveUp > 0) {
                throw new AssertionError("never " + regex + ": " + stats);
            }
            pause();
            stats = ask("stats", "_", "_");
        }
    }

    /** Until so many clients wait for a lock. */
    public void awaitWaiters(String key, int count) throws IOException {
        awaitStats("\"key\":\"" + key + "\",[^}]*\"waiters\":" + count + "}");
    }

    private static void pause() {
        try {
            Thread.sleep(2);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
