package io.flockgate.cluster;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * A small blocking client of the line protocol. A read that takes longer than the client's patience fails, so nothing hangs.
 * For one thread at a time, but for {@link #close}, which ends what is under way.
 */
public final class LineClient implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int CONNECT_MILLIS = 5_000;

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;

    private LineClient(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        this.in = new BufferedInputStream(socket.getInputStream());
        this.out = socket.getOutputStream();
        patience(PATIENCE);
    }

    /** Connects to a gateway on this machine. */
    public static LineClient connect(int port) throws IOException {
        Socket socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MILLIS);
            return new LineClient(socket);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** How long each read waits before it fails. */
    public void patience(Duration time) throws IOException {
        socket.setSoTimeout(Math.toIntExact(time.toMillis()));
    }

    /** One request and its reply, without its line feed. */
    public String ask(String command, String key, String argument) throws IOException {
        out.write((command + "\n" + key + "\n" + argument + "\n").getBytes(StandardCharsets.UTF_8));
        return line();
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                throw new EOFException("closed after '" + line.toString(StandardCharsets.UTF_8) + "'");
            }
            line.write(b);
        }
        return line.toString(StandardCharsets.UTF_8);
    }

    /** {@link #ask} on another thread; nothing else may be asked before it is done. Fails with {@link CompletionException}. */
    public CompletableFuture<String> askLater(String command, String key, String argument) {
        CompletableFuture<String> answer = new CompletableFuture<>();
        Thread unused = Thread.ofVirtual().name("line-client").start(() -> {
            try {
                answer.complete(ask(command, key, argument));
            } catch (IOException | RuntimeException e) {
                answer.completeExceptionally(e);
            }
        });
        return answer;
    }

    /** Acquires a lock or fails. */
    public Grant lock(String key, int timeoutSeconds, int leaseSeconds) throws IOException {
        return Grant.of(key, ask("l", key, timeoutSeconds + " " + leaseSeconds));
    }

    /** Acquires a slot of a semaphore or fails. */
    public Grant slot(String key, int timeoutSeconds, int limit, int leaseSeconds) throws IOException {
        return Grant.of(key, ask("sl", key, timeoutSeconds + " " + limit + " " + leaseSeconds));
    }

    /** Waits for a lock on another thread. */
    public CompletableFuture<Grant> lockLater(String key, int timeoutSeconds, int leaseSeconds) {
        return askLater("l", key, timeoutSeconds + " " + leaseSeconds).thenApply(answer -> Grant.of(key, answer));
    }

    /** The answer to a renewal. */
    public String renew(Grant grant, int leaseSeconds) throws IOException {
        return ask("n", grant.key(), grant.token() + " " + leaseSeconds);
    }

    /** The answer to a release, through whichever gateway the grant was made. */
    public String release(Grant grant) throws IOException {
        return ask("r", grant.key(), grant.token());
    }

    /** Until the key's queue, as this gateway sees it, has so many waiters. */
    public void awaitWaiters(String key, int count) throws IOException, InterruptedException {
        String wanted = "\"key\":\"" + key + "\"[^}]*\"waiters\":" + count + "}";
        long start = System.nanoTime();
        String stats = ask("stats", "_", "_");
        while (!stats.matches(".*" + wanted + ".*")) {
            if (System.nanoTime() - start > PATIENCE.toNanos()) {
                throw new AssertionError("never " + wanted + ": " + stats);
            }
            Thread.sleep(20);
            stats = ask("stats", "_", "_");
        }
    }

    /** Ends the connection without a farewell. */
    public void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
