package io.flockgate.client.tcp;

import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.client.support.Reasons;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A connection of the line protocol, which receives replies in the order of the requests.
 *
 * <ol>
 *   <li>{@link #send} puts a request into a buffer and never blocks. A single task writes the
 *       buffer to the socket.
 *   <li>Another task reads lines, and completes the oldest open request with each reply.
 *   <li>At the end of the connection every open request fails as unknown.
 * </ol>
 */
final class LineConnection {
    /** Longer than any reply to a request of ours. */
    private static final int MAX_REPLY_LENGTH = 1024;

    /** The beginning of a line that is not a reply. */
    private static final String LOST = "lost ";

    /**
     * A line that is not a reply, sent while a claim waits, so that no balancer cuts the
     * connection.
     */
    private static final String ALIVE = "alive";

    private final Socket socket;
    private final ServerAddress server;
    private final Executor executor;
    private final Grants grants;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private volatile List<String> accepted = List.of();

    /** Guarded by this, like the fields below. */
    private final Deque<CompletableFuture<String>> open = new ArrayDeque<>();

    private ByteArrayOutputStream unsent = new ByteArrayOutputStream();
    private boolean writing;
    private boolean ended;
    private boolean finishing;
    private boolean outputEnded;

    LineConnection(Socket socket, ServerAddress server, Executor executor, Grants grants) {
        this.grants = grants;
        this.server = server;
        this.socket = socket;
        this.executor = executor;
    }

    /** The server has accepted these options of this client, which has introduced itself. */
    void introduced(List<String> options) {
        accepted = options;
    }

    ServerAddress server() {
        return server;
    }

    /**
     * True if grants outlive the connection; otherwise the server, which is then an older one or
     * dflockd, ends them with it, and its tokens have no fence.
     */
    boolean detached() {
        return accepted.contains("detached");
    }

    /** True if the server distinguishes a grant that is not held from a failure. */
    boolean reasons() {
        return accepted.contains("reasons");
    }

    /** The address of the server's REST API; null if it reports none. */
    @Nullable
    URI restApi() {
        return Protocol.restApi(accepted, server);
    }

    /** The id of the server's grants; null if it reports none. */
    @Nullable
    String incarnation() {
        return Protocol.incarnation(accepted);
    }

    /** Starts reading. */
    void start() {
        executor.execute(this::read);
    }

    /** Sends a request; the stage completes with the reply, on the reading thread. */
    CompletionStage<String> send(byte[] frame) {
        CompletableFuture<String> reply = new CompletableFuture<>();
        synchronized (this) {
            if (ended || finishing) {
                return CompletableFuture.failedStage(
                        new LeaseUnavailableException("the connection to " + server + " is closed", false, null));
            }
            open.addLast(reply);
            unsent.writeBytes(frame);
        }
        beginWriting();
        return reply;
    }

    /** Starts the writing task unless it runs. */
    private void beginWriting() {
        boolean begin;
        synchronized (this) {
            begin = !writing;
            writing = true;
        }
        if (begin) {
            executor.execute(this::write);
        }
    }

    private void write() {
        try {
            for (byte[] bytes = takeUnsent(); bytes.length > 0; bytes = takeUnsent()) {
                socket.getOutputStream().write(bytes);
            }
            if (isOutputToEnd()) {
                socket.shutdownOutput();
            }
        } catch (IOException | UnsupportedOperationException failed) {
            close("the server cannot be reached: " + Reasons.of(failed));
        }
    }

    /** The bytes to write; if none, this was the last turn of the writing task. */
    private synchronized byte[] takeUnsent() {
        byte[] bytes = unsent.toByteArray();
        unsent = new ByteArrayOutputStream();
        writing = bytes.length > 0;
        return bytes;
    }

    private void read() {
        try (InputStream in = new BufferedInputStream(socket.getInputStream())) {
            for (String line = readLine(in); !line.isEmpty(); line = readLine(in)) {
                if (line.startsWith(LOST)) {
                    grants.lost(line.substring(LOST.length()));
                    continue;
                } else if (line.equals(ALIVE)) {
                    continue;
                }
                CompletableFuture<String> reply = oldestOpen();
                if (reply == null) {
                    close("the server sent an unsolicited reply");
                    return;
                }
                reply.complete(line);
            }
            closed("the server closed the connection", !isFinishing());
        } catch (IOException failed) {
            close("the connection is lost: " + Reasons.of(failed));
        }
    }

    private synchronized @Nullable CompletableFuture<String> oldestOpen() {
        return open.pollFirst();
    }

    /** A line without its terminator; empty at the end of the connection. */
    private static String readLine(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0 && line.size() == 0) {
                return "";
            }
            if (b < 0) {
                throw new IOException("the connection ended within a reply");
            }
            if (line.size() == MAX_REPLY_LENGTH) {
                throw new IOException("a reply is longer than " + MAX_REPLY_LENGTH + " bytes");
            }
            line.write(b);
        }
        return line.toString(StandardCharsets.ISO_8859_1);
    }

    /**
     * Signals to the server that no further requests follow. The server then gives up a wait,
     * unless it has already granted, in which case that reply is still read. Then the connection
     * ends, and open requests fail with the certainty that nothing is held. A second call does
     * nothing.
     */
    void finish() {
        synchronized (this) {
            finishing = true;
        }
        beginWriting();
    }

    private synchronized boolean isFinishing() {
        return finishing;
    }

    /** True once, because a socket does not end its output twice. */
    private synchronized boolean isOutputToEnd() {
        boolean first = finishing && !outputEnded;
        outputEnded |= first;
        return first;
    }

    /**
     * Ends the connection; the results of open requests are unknown. A second call does nothing.
     */
    void close(String reason) {
        closed(reason, true);
    }

    private void closed(String reason, boolean mayHold) {
        List<CompletableFuture<String>> unanswered;
        synchronized (this) {
            if (ended) {
                return;
            }
            ended = true;
            unanswered = new ArrayList<>(open);
            open.clear();
        }
        try {
            closed.complete(null);
            unanswered.forEach(reply ->
                    reply.completeExceptionally(new LeaseUnavailableException(server + ": " + reason, mayHold, null)));
        } finally {
            executor.execute(this::closeSocket);
        }
    }

    private void closeSocket() {
        try {
            socket.close();
        } catch (IOException alreadyBroken) {
            // Nothing is left to free.
        }
    }

    /** Completes when the connection has ended, for whatever reason. */
    CompletionStage<Void> closed() {
        return closed;
    }

    synchronized boolean isOpen() {
        return !ended && !finishing;
    }
}
