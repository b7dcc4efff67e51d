package io.flockgate.storage.consul;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A proxy in front of an agent that refuses some requests. */
final class RefusingProxy implements AutoCloseable {
    private static final String PATTERN = "^[a-zA-Z0-9,_./\\-?&=]+$";
    private static final Pattern ACCEPTED = Pattern.compile(PATTERN);
    private static final String KV = "/v1/kv/";

    private final String agent;
    private final Function<URI, @Nullable Answer> refusal;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpClient client = HttpClient.newHttpClient();
    private final AtomicInteger refusals = new AtomicInteger();

    /** The answer to a request that is refused. */
    record Answer(int status, String words) {}

    /**
     * An agent of Consul 1.21.5, as far as names go: in front of an older agent it refuses names in the paths of requests that 1.21.5
     * refuses, with the status and the words of that version. Like 1.21.5 it lets transactions pass.
     */
    RefusingProxy(URI agent) {
        this(agent, RefusingProxy::invalidName);
    }

    /** @param refusal the answer to a request that is refused; null for any other */
    RefusingProxy(URI agent, Function<URI, @Nullable Answer> refusal) {
        this.agent = agent.toString();
        this.refusal = refusal;
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/", this::handle);
        server.setExecutor(threads);
        server.start();
    }

    String address() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** The number of requests that were refused. */
    int refused() {
        return refusals.get();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            Answer refused = refusal.apply(exchange.getRequestURI());
            if (refused == null) {
                forward(exchange);
            } else {
                refusals.incrementAndGet();
                answer(exchange, refused.status(), refused.words().getBytes(UTF_8));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static @Nullable Answer invalidName(URI request) {
        String path = request.getPath();
        String key = path.startsWith(KV) ? path.substring(KV.length()) : "";
        if (key.isEmpty() || (ACCEPTED.matcher(key).matches() && !key.contains(".."))) {
            return null;
        }
        String words = "invalid key name, keys should respect the \"" + PATTERN.replace("\\", "\\\\") + "\" format";
        return new Answer(500, words);
    }

    private void forward(HttpExchange exchange) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(agent + exchange.getRequestURI()))
                .method(
                        exchange.getRequestMethod(),
                        BodyPublishers.ofByteArray(exchange.getRequestBody().readAllBytes()))
                .build();
        HttpResponse<byte[]> response = client.send(request, BodyHandlers.ofByteArray());
        response.headers()
                .firstValue("X-Consul-Index")
                .ifPresent(index -> exchange.getResponseHeaders().add("X-Consul-Index", index));
        answer(exchange, response.statusCode(), response.body());
    }

    private static void answer(HttpExchange exchange, int status, byte[] body) throws IOException {
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
        client.shutdownNow();
    }
}
