package io.flockgate.testsupport;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP relay to a server. Its rules refuse requests, or leave them without an answer. Thread
 * safe.
 */
public final class FaultyHttp implements AutoCloseable {
    /** Headers of a single connection, which each side sets for itself. */
    private static final Set<String> OF_CONNECTION =
            Set.of("connection", "content-length", "expect", "host", "http2-settings", "transfer-encoding", "upgrade");

    private final URI server;
    private final List<Rule> rules = new CopyOnWriteArrayList<>();
    private final AtomicInteger intercepted = new AtomicInteger();
    private final ScriptedServer front = new ScriptedServer();
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    /** Decides on a request. */
    public interface Rule {
        /** The reply to a request; null passes it to the next rule, and finally to the server. */
        @Nullable
        Reply apply(ReceivedRequest request) throws IOException;
    }

    private FaultyHttp(URI server) {
        this.server = server;
        front.otherwise(this::relay);
    }

    /** A relay without rules. */
    public static FaultyHttp to(URI server) {
        return new FaultyHttp(server);
    }

    /** The address at which the server is reached through this relay. */
    public URI uri() {
        return front.uri();
    }

    /** All requests so far. */
    public List<ReceivedRequest> received() {
        return front.received();
    }

    /** The number of requests that a rule has replied to. */
    public int intercepted() {
        return intercepted.get();
    }

    /** Adds a rule after the existing ones. */
    @CanIgnoreReturnValue
    public FaultyHttp rule(Rule rule) {
        rules.add(rule);
        return this;
    }

    private void relay(ReceivedRequest request, Socket from) throws IOException {
        replyTo(request).send(request, from);
    }

    private Reply replyTo(ReceivedRequest request) throws IOException {
        for (Rule rule : rules) {
            Reply reply = rule.apply(request);
            if (reply != null) {
                intercepted.incrementAndGet();
                return reply;
            }
        }
        return ask(request);
    }

    /** Sends a request to the server, regardless of the rules. */
    public Reply.Answer ask(ReceivedRequest request) throws IOException {
        var outgoing = HttpRequest.newBuilder(URI.create(server + request.target()))
                .method(request.method(), BodyPublishers.ofByteArray(request.bytes()));
        for (String header : request.headers()) {
            String[] parts = header.split(":", 2);
            if (!isOfConnection(parts[0])) {
                outgoing.header(parts[0], parts[1].strip());
            }
        }
        try {
            HttpResponse<byte[]> response = client.send(outgoing.build(), BodyHandlers.ofByteArray());
            List<String> headers = response.headers().map().entrySet().stream()
                    .filter(header -> !isOfConnection(header.getKey()))
                    .flatMap(header -> header.getValue().stream().map(value -> header.getKey() + ": " + value))
                    .toList();
            return new Reply.Answer(response.statusCode(), headers, response.body());
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private static boolean isOfConnection(String header) {
        return OF_CONNECTION.contains(header.toLowerCase(Locale.ROOT));
    }

    @Override
    public void close() {
        front.close();
        client.shutdownNow();
    }
}
