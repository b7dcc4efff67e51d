package io.flockgate.client.onconsul;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
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
    private final AtomicInteger sessionsToLose = new AtomicInteger();
    private final AtomicReference<@Nullable Runnable> late = new AtomicReference<>();
    private final AtomicReference<@Nullable Runnable> afterRead = new AtomicReference<>();
    private final AtomicBoolean delaysNext = new AtomicBoolean();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final AtomicInteger blockingReads = new AtomicInteger();
    private volatile boolean holdsReads;
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

    /** Loses the answers of so many creations of sessions from now on. */
    void loseSessions(int count) {
        sessionsToLose.set(count);
    }

    /** The number of sessions whose answers are still to be lost. */
    int sessionsLeft() {
        return sessionsToLose.get();
    }

    /**
     * Gives no answer to the next transaction, and refuses the one after that as Consul does during a lock delay. The first one reaches the
     * agent after the read that follows, and before its answer.
     */
    void delayNext() {
        delaysNext.set(true);
    }

    /** The number of blocking reads. */
    int blockingReads() {
        return blockingReads.get();
    }

    /** Never answers a blocking read from now on. */
    void holdReads() {
        holdsReads = true;
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
            boolean txn = exchange.getRequestURI().getPath().equals("/v1/txn");
            if (isHeld(exchange) || (txn && isDelayed(exchange))) {
                return;
            }
            HttpResponse<byte[]> answer = ask(request(exchange));
            Runnable behind = afterRead.getAndSet(null);
            if (behind != null) {
                behind.run();
            }
            boolean session = exchange.getRequestURI().getPath().equals("/v1/session/create");
            if (answer.statusCode() == 200 && ((txn && isOne(answersToLose)) || (session && isOne(sessionsToLose)))) {
                return;
            }
            answer(
                    exchange,
                    answer.statusCode(),
                    answer.body(),
                    answer.headers().firstValue("X-Consul-Index").orElse(null));
        }
    }

    private static boolean isOne(AtomicInteger left) {
        return left.getAndUpdate(count -> Math.max(0, count - 1)) > 0;
    }

    private boolean isHeld(HttpExchange exchange) {
        boolean blocking = String.valueOf(exchange.getRequestURI().getQuery()).contains("index=");
        if (blocking) {
            blockingReads.incrementAndGet();
        }
        if (!blocking || !holdsReads) {
            return false;
        }
        try {
            closed.await();
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
        return true;
    }

    /** True if this transaction has been dealt with; see {@link #delayNext}. */
    private boolean isDelayed(HttpExchange exchange) throws IOException {
        if (delaysNext.compareAndSet(true, false)) {
            HttpRequest first = request(exchange);
            late.set(() -> askUnchecked(first));
            return true;
        }
        Runnable first = late.getAndSet(null);
        if (first != null) {
            afterRead.set(first);
            byte[] refusal = "{\"Errors\":[{\"OpIndex\":2,\"What\":\"failed to lock key due to lock delay\"}]}"
                    .getBytes(StandardCharsets.UTF_8);
            answer(exchange, 409, refusal, null);
        }
        return first != null;
    }

    private HttpRequest request(HttpExchange exchange) throws IOException {
        return HttpRequest.newBuilder(agent.resolve(exchange.getRequestURI()))
                .method(
                        exchange.getRequestMethod(),
                        BodyPublishers.ofByteArray(exchange.getRequestBody().readAllBytes()))
                .build();
    }

    private void askUnchecked(HttpRequest request) {
        try {
            HttpResponse<byte[]> unused = ask(request);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private HttpResponse<byte[]> ask(HttpRequest request) throws IOException {
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
        closed.countDown();
        server.stop(0);
        threads.shutdownNow();
        client.shutdownNow();
    }
}
