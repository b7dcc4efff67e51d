package io.flockgate.client.kubernetes;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A Kubernetes API server for Lease objects, over real HTTP. It enforces the rules of a real one
 * ({@link Objects}), checks the bearer token, and fails as a test directs.
 */
final class ApiServer implements AutoCloseable {
    static final String NAMESPACE = "team";
    private static final JsonMapper JSON = new JsonMapper();
    private static final String PATH = "/apis/coordination.k8s.io/v1/namespaces/";

    /** What happens to one request; null means that it is served normally. */
    interface Fault {
        /** Handles the request and returns true, or returns false to have it served normally. */
        boolean handle(HttpExchange exchange, Runnable serve) throws IOException;
    }

    private final HttpServer http;
    private final Objects objects = new Objects();
    private final Deque<Fault> faults = new ConcurrentLinkedDeque<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final List<String> agents = new CopyOnWriteArrayList<>();
    private final AtomicInteger atOnce = new AtomicInteger();
    private final AtomicInteger mostAtOnce = new AtomicInteger();
    private volatile String token = "";
    private volatile Runnable onRefusal = () -> {};

    private ApiServer(HttpServer http) {
        this.http = http;
        http.setExecutor(Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "api-server");
            thread.setDaemon(true);
            return thread;
        }));
        http.createContext("/", this::accept);
        http.start();
    }

    static ApiServer start() throws IOException {
        return new ApiServer(HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0));
    }

    static ApiServer start(SSLContext tls) throws IOException {
        return start(tls, "127.0.0.1");
    }

    static ApiServer start(SSLContext tls, String address) throws IOException {
        HttpsServer https = HttpsServer.create(new InetSocketAddress(address, 0), 0);
        https.setHttpsConfigurator(new HttpsConfigurator(tls));
        return new ApiServer(https);
    }

    int port() {
        return http.getAddress().getPort();
    }

    KubernetesOptions options() {
        return KubernetesOptions.of(URI.create("http://127.0.0.1:" + port()), NAMESPACE);
    }

    Objects objects() {
        return objects;
    }

    /** Method and path of each request, in order. */
    List<String> requests() {
        return requests;
    }

    /** The agent that each request names. */
    List<String> agents() {
        return agents;
    }

    /** The largest number of requests that were served at the same time. */
    int mostAtOnce() {
        return mostAtOnce.get();
    }

    /** From now on, requests need this token. */
    void expectToken(String expected, Runnable whenRefused) {
        token = expected;
        onRefusal = whenRefused;
    }

    /** The next request meets this fault; each call adds a fault for one further request. */
    void next(Fault fault) {
        faults.add(fault);
    }

    /** The next request is answered with this status, but not carried out. */
    void refuseNext(int status, String... headers) {
        next((exchange, serve) -> {
            for (int i = 0; i < headers.length; i += 2) {
                exchange.getResponseHeaders().add(headers[i], headers[i + 1]);
            }
            answer(exchange, status, "");
            return true;
        });
    }

    /** The next request is not carried out, but an intermediary answers it as done. */
    void answerNext(String body) {
        answerNext(200, body);
    }

    /** The next request is not carried out, but answered in this way. */
    void answerNext(int status, String body) {
        next((exchange, serve) -> {
            answer(exchange, status, body);
            return true;
        });
    }

    /** The next request is carried out normally. */
    void passNext() {
        next((exchange, serve) -> false);
    }

    /** The next request is carried out, but its connection is cut without an answer. */
    void loseNextAnswer() {
        next((exchange, serve) -> {
            serve.run();
            return true;
        });
    }

    private void accept(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
        agents.add(exchange.getRequestHeaders().getFirst("User-Agent"));
        mostAtOnce.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
        Fault fault = faults.poll();
        // Closing an exchange without an answer cuts the connection.
        try (exchange) {
            if (fault == null || !fault.handle(exchange, () -> serve(exchange, body))) {
                Objects.Reply reply = serve(exchange, body);
                answer(exchange, reply.status(), reply.body());
            }
        } finally {
            atOnce.decrementAndGet();
        }
    }

    private Objects.Reply serve(HttpExchange exchange, byte[] body) {
        if (!token.isEmpty()
                && !("Bearer " + token).equals(exchange.getRequestHeaders().getFirst("Authorization"))) {
            onRefusal.run();
            return new Objects.Reply(401, "");
        }
        String path = exchange.getRequestURI().getPath();
        String rest = path.startsWith(PATH + NAMESPACE + "/leases")
                ? path.substring((PATH + NAMESPACE + "/leases").length())
                : null;
        if (rest == null) {
            return new Objects.Reply(404, "");
        }
        return serve(exchange.getRequestMethod(), rest, body);
    }

    private Objects.Reply serve(String method, String rest, byte[] body) {
        String name = rest.isEmpty() ? "" : rest.substring(1);
        if (method.equals("GET")) {
            return objects.get(name);
        }
        ObjectNode object = object(body);
        if (object == null) {
            return new Objects.Reply(400, "");
        }
        return method.equals("POST") ? objects.create(object) : objects.replace(name, object);
    }

    private static @Nullable ObjectNode object(byte[] body) {
        try {
            return JSON.readTree(body) instanceof ObjectNode object ? object : null;
        } catch (IOException malformed) {
            return null;
        }
    }

    private static void answer(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        if (bytes.length > 0) {
            exchange.getResponseBody().write(bytes);
        }
    }

    @Override
    public void close() {
        http.stop(0);
    }
}
