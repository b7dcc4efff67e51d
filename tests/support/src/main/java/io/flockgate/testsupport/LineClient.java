package io.flockgate.testsupport;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * A blocking client of the line protocol, in bytes as Latin-1 text. A read that takes longer than
 * the client's patience fails. For one thread at a time, except for {@link #close}, which ends a
 * call on another thread.
 */
public final class LineClient implements AutoCloseable {
    /** The patience of a new client on a machine whose load does not exceed its cores. */
    public static final Duration PATIENCE = Polling.PATIENCE;

    private static final int SHOWN = 100;

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;

    /** The last request, for messages. */
    private volatile String asked = "";

    private LineClient(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        in = new BufferedInputStream(socket.getInputStream());
        out = socket.getOutputStream();
        patience(Polling.patience());
    }

    /** Connects to a gateway on this machine. */
    public static LineClient connect(int port) throws IOException {
        return connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }

    public static LineClient connect(InetSocketAddress gateway) throws IOException {
        Socket socket = new Socket();
        try {
            socket.connect(gateway, Math.toIntExact(Polling.patience().toMillis()));
            return new LineClient(socket);
        } catch (SocketTimeoutException e) {
            socket.close();
            throw new SocketTimeoutException(gateway + " accepts no connection in time");
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** A client over an existing connection. */
    public static LineClient over(Socket connected) throws IOException {
        return new LineClient(connected);
    }

    public Socket socket() {
        return socket;
    }

    /** The bytes that have not been read yet. */
    public InputStream input() {
        return in;
    }

    /** Sets how long each read waits before it fails. */
    @CanIgnoreReturnValue
    public LineClient patience(Duration time) throws IOException {
        socket.setSoTimeout(Math.toIntExact(time.toMillis()));
        return this;
    }

    public static String frame(String command, String key, String argument) {
        return command + "\n" + key + "\n" + argument + "\n";
    }

    public void send(String text) throws IOException {
        asked = text.substring(0, Math.min(text.length(), SHOWN)).strip().replace('\n', ' ');
        out.write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** The next line without its line feed. */
    public String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        try {
            for (int b = in.read(); b != '\n'; b = in.read()) {
                if (b < 0) {
                    throw new EOFException("closed after '" + line.toString(StandardCharsets.ISO_8859_1) + "'");
                }
                line.write(b);
            }
        } catch (SocketTimeoutException e) {
            throw new SocketTimeoutException("no answer from " + socket.getRemoteSocketAddress() + " within "
                    + socket.getSoTimeout() + " ms to '" + asked + "'");
        }
        return line.toString(StandardCharsets.ISO_8859_1);
    }

    /** Reads to the end, and returns everything before it. A reset counts as an end too. */
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

    /** Sends one request, and returns its reply. */
    public String ask(String command, String key, String argument) throws IOException {
        send(frame(command, key, argument));
        return line();
    }

    /**
     * {@link #ask} on another thread; no other request may be sent before it is done. Fails with
     * {@link CompletionException}.
     */
    public CompletableFuture<String> askLater(String command, String key, String argument) {
        CompletableFuture<String> reply = new CompletableFuture<>();
        Thread unused = Thread.ofVirtual().name("line-client").start(() -> {
            try {
                reply.complete(ask(command, key, argument));
            } catch (IOException | RuntimeException e) {
                reply.completeExceptionally(e);
            }
        });
        return reply;
    }

    public String ping() throws IOException {
        return ask("ping", "_", "_");
    }

    /** Pings until another reply arrives, and returns that reply. */
    public String pingUntilRefused() throws IOException {
        return Polling.until(this::ping, reply -> !reply.equals("ok"));
    }

    /** Acquires a lock that is free, for 60 seconds. */
    @CanIgnoreReturnValue
    public HeldGrant lock(String key) throws IOException {
        return lock(key, 0, 60);
    }

    /** Acquires a lock or fails. */
    @CanIgnoreReturnValue
    public HeldGrant lock(String key, int timeoutSeconds, int leaseSeconds) throws IOException {
        return HeldGrant.of(key, ask("l", key, timeoutSeconds + " " + leaseSeconds));
    }

    /** Acquires a slot of a semaphore or fails. */
    public HeldGrant slot(String key, int timeoutSeconds, int limit, int leaseSeconds) throws IOException {
        return HeldGrant.of(key, ask("sl", key, timeoutSeconds + " " + limit + " " + leaseSeconds));
    }

    /** Waits for a lock on another thread. */
    public CompletableFuture<HeldGrant> lockLater(String key, int timeoutSeconds, int leaseSeconds) {
        return askLater("l", key, timeoutSeconds + " " + leaseSeconds).thenApply(reply -> HeldGrant.of(key, reply));
    }

    /** Begins to wait for a lock, and returns when another client sees this number of waiters. */
    public void queueUp(String key, LineClient observer, int waiters) throws IOException {
        send(frame("l", key, "600"));
        observer.awaitWaiters(key, waiters);
    }

    /** The grant in the next line. */
    @CanIgnoreReturnValue
    public HeldGrant granted(String key) throws IOException {
        return HeldGrant.of(key, line());
    }

    /** The reply to a renewal. */
    public String renew(HeldGrant grant, int leaseSeconds) throws IOException {
        return ask("n", grant.key(), grant.token() + " " + leaseSeconds);
    }

    /** Releases a held lock, through any gateway, or fails. */
    public void release(HeldGrant grant) throws IOException {
        String reply = ask("r", grant.key(), grant.token());
        if (!reply.equals("ok")) {
            throw new AssertionError("not released: " + grant.key() + ": " + reply);
        }
    }

    /** Requests the statistics until they match. */
    public void awaitStats(String regex) throws IOException {
        String unused = Polling.until(() -> ask("stats", "_", "_"), stats -> stats.matches(".*" + regex + ".*"));
    }

    /** Waits until the key's queue, as this gateway sees it, has this number of waiters. */
    public void awaitWaiters(String key, int count) throws IOException {
        awaitStats("\"key\":\"" + key + "\",[^}]*\"waiters\":" + count + "}");
    }

    /** Closes only the sending side. */
    public void halfClose() throws IOException {
        socket.shutdownOutput();
    }

    /** Ends the connection with a reset, unlike an orderly close. */
    public void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
