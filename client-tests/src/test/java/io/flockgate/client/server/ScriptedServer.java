package io.flockgate.client.server;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A server of HTTP that answers what a test has written down. */
final class ScriptedServer implements AutoCloseable {
    private static final Answer MISSING = new Answer(404, "{\"error\":\"not_found\"}", Map.of());

    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Map<String, Queue<Answer>> answers = new ConcurrentHashMap<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final Queue<String> bodies = new ConcurrentLinkedQueue<>();

    /** An answer; a status of 0 is the end of the connection. */
    record Answer(int status, String body, Map<String, String> headers) {}

    ScriptedServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    /** Answers this request so, after the answers given before. The last one is for all later requests, too. */
    ScriptedServer on(String request, int status, String body, Map<String, String> headers) {
        answers.computeIfAbsent(request, any -> new ConcurrentLinkedQueue<>()).add(new Answer(status, body, headers));
        return this;
    }

    ScriptedServer on(String request, int status, String body) {
        return on(request, status, body, Map.of());
    }

    /** Answers as a gateway with detached sessions, which are called s1, s2 and so on. */
    ScriptedServer withSessions() {
        for (int i = 1; i <= 9; i++) {
            on("POST /v1/sessions", 200, "{\"session_id\":\"s" + i + "\",\"idle_timeout_s\":20,\"detached\":true}");
            on("DELETE /v1/sessions/s" + i, 204, "");
        }
        return this;
    }

    /** The requests so far, each as method, path and session. */
    List<String> requests() {
        return List.copyOf(requests);
    }

    List<String> bodies() {
        return List.copyOf(bodies);
    }

    private void handle(HttpExchange exchange) throws IOException {
        String request =
                exchange.getRequestMethod() + " " + exchange.getRequestURI().getRawPath();
        String session = exchange.getRequestHeaders().getFirst("X-Dflockd-Session");
        bodies.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
        requests.add(session == null ? request : request + " " + session);
        Answer answer = next(request);
        if (answer.status() == 0) {
            exchange.close();
            return;
        }
        byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
        answer.headers().forEach(exchange.getResponseHeaders()::set);
        exchange.sendResponseHeaders(answer.status(), body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private synchronized Answer next(String request) {
        Queue<Answer> left = answers.getOrDefault(request, new ArrayDeque<>());
        Answer answer = left.size() > 1 ? left.poll() : left.peek();
        return answer == null ? MISSING : answer;
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
