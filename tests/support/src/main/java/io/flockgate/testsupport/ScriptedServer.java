package io.flockgate.testsupport;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A server on this machine that replies by a script, and keeps the requests that it received. A
 * request gets the next reply for its method and path, else the next reply of {@link #reply}, else
 * that of {@link #otherwise}. Thread safe.
 */
public final class ScriptedServer implements AutoCloseable {
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final Map<String, Queue<Reply>> byRequest = new ConcurrentHashMap<>();
    private final Queue<Reply> inOrder = new ConcurrentLinkedQueue<>();
    private final List<ReceivedRequest> received = new CopyOnWriteArrayList<>();
    private final BlockingQueue<ReceivedRequest> unread = new LinkedBlockingQueue<>();
    private final Conversation conversation;
    private final Acceptor acceptor;
    private volatile boolean closed;
    private volatile Reply otherwise = Reply.status(404, "{\"error\":\"not_found\"}");

    /** The events on a connection, from its beginning to its end. */
    public interface Conversation {
        void with(Socket client) throws IOException;
    }

    /** A server for HTTP. */
    public ScriptedServer() {
        conversation = this::answer;
        acceptor = new Acceptor(Acceptor.LOOPBACK, 0, this::serve);
    }

    private ScriptedServer(Conversation conversation) {
        this.conversation = conversation;
        acceptor = new Acceptor(Acceptor.LOOPBACK, 0, this::serve);
    }

    /** A server for any protocol. A connection ends with its conversation. */
    public static ScriptedServer ofConnections(Conversation conversation) {
        return new ScriptedServer(conversation);
    }

    public int port() {
        return acceptor.port();
    }

    public URI uri() {
        return acceptor.uri("http");
    }

    /**
     * Adds a reply to this method and path, after the replies given before. The last one is also
     * used for all later requests.
     */
    @CanIgnoreReturnValue
    public ScriptedServer on(String request, Reply reply) {
        byRequest.computeIfAbsent(request, any -> new ConcurrentLinkedQueue<>()).add(reply);
        return this;
    }

    @CanIgnoreReturnValue
    public ScriptedServer on(String request, int status, String body, String... headers) {
        return on(request, Reply.status(status, body, headers));
    }

    /** Adds a reply to one request, after the replies given before. */
    @CanIgnoreReturnValue
    public ScriptedServer reply(Reply reply) {
        inOrder.add(reply);
        return this;
    }

    /** Sets the reply to every request that has no other reply, in place of status 404. */
    @CanIgnoreReturnValue
    public ScriptedServer otherwise(Reply reply) {
        otherwise = reply;
        return this;
    }

    /** All requests so far. */
    public List<ReceivedRequest> received() {
        return List.copyOf(received);
    }

    /** Waits for and returns the next request, in the order of arrival. */
    public ReceivedRequest next() throws InterruptedException {
        Duration patience = Polling.patience();
        ReceivedRequest next = unread.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
        if (next == null) {
            throw new AssertionError("no request to " + uri() + " within " + patience);
        }
        return next;
    }

    private void serve(Socket client) {
        open.add(client);
        try (client) {
            // A server closed meanwhile has not ended this connection.
            if (!closed) {
                client.setTcpNoDelay(true);
                conversation.with(client);
            }
        } catch (IOException e) {
            // The client or the test has ended the connection.
        } finally {
            open.remove(client);
        }
    }

    private void answer(Socket client) throws IOException {
        InputStream in = new BufferedInputStream(client.getInputStream());
        ReceivedRequest request = ReceivedRequest.read(in);
        while (request != null) {
            received.add(request);
            unread.add(request);
            replyTo(request).send(request, client);
            request = client.isClosed() ? null : ReceivedRequest.read(in);
        }
    }

    private synchronized Reply replyTo(ReceivedRequest request) {
        Queue<Reply> own = byRequest.get(request.method() + " " + request.path());
        Reply reply = own == null ? inOrder.poll() : own.size() > 1 ? own.poll() : own.peek();
        return reply == null ? otherwise : reply;
    }

    @Override
    public void close() {
        closed = true;
        acceptor.close();
        open.forEach(Acceptor::close);
    }
}
