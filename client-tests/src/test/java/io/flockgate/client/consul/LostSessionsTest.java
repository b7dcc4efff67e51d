package io.flockgate.client.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.LeaseEnvironment;
import io.flockgate.testsupport.Polling;
import io.flockgate.testsupport.ReceivedRequest;
import io.flockgate.testsupport.Reply;
import io.flockgate.testsupport.ScriptedServer;
import java.time.Duration;
import java.util.List;
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

/**
 * The search for sessions whose creation was never answered, when the search cannot begin or Consul
 * refuses it.
 */
@Execution(ExecutionMode.CONCURRENT)
class LostSessionsTest {
    private static final Duration TTL = Duration.ofMinutes(10);
    private static final String LIST = "GET /v1/session/list";
    private static final String DESTROY = "/v1/session/destroy/";
    private static final String SESSIONS = """
            [{"ID":"id-1","Name":"flockgate a 1 (detached)"},{"ID":"id-2","Name":"flockgate a 2 (detached)"},
             {"ID":"id-3","Name":"flockgate b 1 (detached)"}]""";

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final ScriptedServer agent = new ScriptedServer().otherwise(Reply.status(200, "true"));
    private ConsulApi api;

    @BeforeEach
    void start() throws Exception {
        api = new ConsulApi(new ConsulHttp(
                List.of(agent.uri()),
                () -> "",
                SSLContext.getDefault(),
                threads,
                LeaseEnvironment.system().ticker()));
    }

    @AfterEach
    void stop() {
        agent.close();
        threads.shutdownNow();
    }

    /** The sessions whose end was requested. */
    private List<String> ended() {
        return agent.received().stream()
                .map(ReceivedRequest::path)
                .filter(path -> path.startsWith(DESTROY))
                .map(path -> path.substring(DESTROY.length()))
                .toList();
    }

    private LostSessions lost(Executor executor) {
        return new LostSessions(api, LeaseEnvironment.system(), executor);
    }

    @Test
    void aRefusedSearchIsRepeatedAndEndsOnlyTheSessionOfThatName() {
        agent.on(LIST, 403, "Permission denied").on(LIST, 200, SESSIONS);
        LostSessions lost = lost(threads);

        lost.add("flockgate a 2 (detached)", TTL);

        Polling.until("the end of the session", () -> !ended().isEmpty());
        assertThat(ended()).containsOnly("id-2");
        lost.close();
    }

    @Test
    void aSearchThatCouldNotBeginBeginsWithTheNextName() {
        agent.on(LIST, 200, SESSIONS);
        AtomicInteger rejections = new AtomicInteger(1);
        LostSessions lost = lost(task -> {
            if (rejections.getAndDecrement() > 0) {
                throw new RejectedExecutionException("no thread");
            }
            threads.execute(task);
        });

        lost.add("flockgate a 1 (detached)", TTL);
        lost.add("flockgate a 2 (detached)", TTL);

        Polling.until("the end of both sessions", () -> ended().containsAll(List.of("id-1", "id-2")));
        assertThat(ended()).containsOnly("id-1", "id-2");
        lost.close();
    }
}
