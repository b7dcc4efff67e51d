package io.flockgate.client.onconsul;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** An HTTP relay to an agent that can lose the answers of writes which the agent has carried out, or refuse all
 * requests. */
final class Relay implements AutoCloseable {
    private final URI agent;
    private final HttpServer server;
    private final HttpClient client = HttpClient.newHttpClient();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final AtomicInteger answersToLose = new AtomicInteger();
    private final List<String> tokens = new CopyOnWriteArrayList<>();
    private volatile boolean denies;
    private volatile boolean leaderless;

    private Relay(URI agent) throws IOException {
        this.agent = agent;
        this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::relay);
        server.start();
    }

    static Relay to(URI agent) throws IOException {
        return new Relay(agent);
    }

    URI uri(String prefix) {
        return URI.create("consul://127.0.0.1:" + server.getAddress().getPort() + "/" + prefix);
    }

    /** Loses the answers of so many transactions from now on. */
    void loseAnswers(int count) {
        answersToLose.set(count);
    }

    /** The number of answers that are still to be lost. */
    int left() {
        return answersToLose.get();
    }

    /** Answers all requests as Consul does when the token has no right. */
    void deny() {
        denies = true;
    }

    /** Answers all requests as an agent does that knows no leader. */
    void loseLeader() {
        leaderless = true;
    }

    /** The ACL tokens of the requests. */
    List<String> tokens() {
        return tokens;
    }

    private void relay(HttpExchange exchange) throws IOException {
        try (exchange) {
            String token = exchange.getRequestHeaders().getFirst("X-Consul-Token");
            tokens.add(token == null ? "" : token);
            if (denies) {
                answer(exchange, 403, "Permission denied".getBytes(StandardCharsets.UTF_8), null);
                return;
            }
            if (leaderless) {
                answer(exchange, 500, "No cluster leader".getBytes(StandardCharsets.UTF_8), null);
                return;
            }
            HttpResponse<byte[]> answer = ask(exchange);
            boolean written = exchange.getRequestURI().getPath().equals("/v1/txn") && answer.statusCode() == 200;
            if (written && answersToLose.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                return;
            }
            answer(
                    exchange,
                    answer.statusCode(),
                    answer.body(),
                    answer.headers().firstValue("X-Consul-Index").orElse(null));
        }
    }

    private HttpResponse<byte[]> ask(HttpExchange exchange) throws IOException {
        HttpRequest request = HttpRequest.newBuilder(agent.resolve(exchange.getRequestURI()))
                .method(
                        exchange.getRequestMethod(),
                        BodyPublishers.ofByteArray(exchange.getRequestBody().readAllBytes()))
                .build();
        try {
            return client.send(request, BodyHandlers.ofByteArray());
        } catch (InterruptedException ended) {
            throw new IOException(ended);
        }
    }

    private static void answer(HttpExchange exchange, int status, byte[] body, @Nullable String index)
            throws IOException {
        if (index != null) {
            exchange.getResponseHeaders().set("X-Consul-Index", index);
        }
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
        client.shutdownNow();
    }
}
