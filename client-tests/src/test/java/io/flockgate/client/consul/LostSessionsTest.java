package io.flockgate.client.consul;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.flockgate.client.LeaseEnvironment;
import io.flockgate.testsupport.Polling;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The search for sessions whose creation had no answer, when it cannot begin or Consul refuses it. */
@Execution(ExecutionMode.CONCURRENT)
class LostSessionsTest {
    private static final Duration TTL = Duration.ofMinutes(10);
    private static final String SESSIONS = """
            [{"ID":"id-1","Name":"flockgate a 1 (detached)"},{"ID":"id-2","Name":"flockgate a 2 (detached)"},
             {"ID":"id-3","Name":"flockgate b 1 (detached)"}]""";

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<String> ended = new CopyOnWriteArrayList<>();
    private final AtomicInteger refusals = new AtomicInteger();
    private HttpServer agent;
    private ConsulApi api;

    @BeforeEach
    void start() throws Exception {
        agent = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        agent.createContext("/v1/session/list", exchange -> {
            boolean refused = refusals.getAndDecrement() > 0;
            answer(exchange, refused ? 403 : 200, refused ? "Permission denied" : SESSIONS);
        });
        agent.createContext("/v1/session/destroy/", exchange -> {
            String path = exchange.getRequestURI().getPath();
            ended.add(path.substring(path.lastIndexOf('/') + 1));
            answer(exchange, 200, "true");
        });
        agent.start();
        URI address = URI.create("http://127.0.0.1:" + agent.getAddress().getPort());
        api = new ConsulApi(new ConsulHttp(
                List.of(address),
                () -> "",
                SSLContext.getDefault(),
                threads,
                LeaseEnvironment.system().ticker()));
    }

    @AfterEach
    void stop() {
        agent.stop(0);
        threads.shutdownNow();
    }

    private static void answer(HttpExchange exchange, int status, String body) throws IOException {
        try (exchange) {
            exchange.getRequestBody().readAllBytes();
            byte[] bytes = body.getBytes(UTF_8);
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    private LostSessions lost(Executor executor) {
        return new LostSessions(api, LeaseEnvironment.system(), executor);
    }

    @Test
    void aRefusedSearchIsRepeatedAndEndsOnlyTheSessionOfThatName() {
        refusals.set(1);
        LostSessions lost = lost(threads);

        lost.add("flockgate a 2 (detached)", TTL);

        Polling.until("the end of the session", () -> !ended.isEmpty());
        assertThat(refusals.get()).isNotPositive();
        assertThat(ended).containsOnly("id-2");
        lost.close();
    }

    @Test
    void aSearchThatCouldNotBeginBeginsWithTheNextName() {
        AtomicInteger rejections = new AtomicInteger(1);
        LostSessions lost = lost(task -> {
            if (rejections.getAndDecrement() > 0) {
                throw new RejectedExecutionException("no thread");
            }
            threads.execute(task);
        });

        lost.add("flockgate a 1 (detached)", TTL);
        lost.add("flockgate a 2 (detached)", TTL);

        Polling.until("the end of both sessions", () -> ended.containsAll(List.of("id-1", "id-2")));
        assertThat(ended).containsOnly("id-1", "id-2");
        lost.close();
    }
}
