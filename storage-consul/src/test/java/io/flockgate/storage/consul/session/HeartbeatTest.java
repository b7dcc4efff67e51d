package io.flockgate.storage.consul.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.consul.testbed.AgentOptions;
import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulException;
import io.flockgate.storage.consul.api.ConsulException.Effect;
import io.flockgate.storage.consul.api.ConsulException.FailureKind;
import io.flockgate.storage.consul.api.ConsulOptions;
import io.flockgate.storage.consul.api.EcwidConsulApi;
import io.flockgate.storage.consul.api.FakeConsul;
import io.flockgate.storage.consul.api.ForwardingConsulApi;
import io.flockgate.storage.consul.environment.Environments;
import io.flockgate.testsupport.Polling;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The check that the heartbeat registers, on a real agent. */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
class HeartbeatTest {
    private static final Duration TTL = Duration.ofSeconds(2);
    private static final Duration LONG = Duration.ofSeconds(10);

    private static ConsulAgent agent;

    @BeforeAll
    static void start() {
        agent = ConsulAgent.start(AgentOptions.plain());
        String web = "{\"ID\":\"web\",\"Name\":\"web\",\"Check\":{\"TTL\":\"1h\",\"Status\":\"passing\"}}";
        HttpRequest request = HttpRequest.newBuilder(URI.create(agent.address() + "/v1/agent/service/register"))
                .PUT(BodyPublishers.ofString(web))
                .build();
        assertThat(send(request)).isEmpty();
    }

    @AfterAll
    static void stop() {
        agent.close();
    }

    private static String get(String path) {
        return send(HttpRequest.newBuilder(URI.create(agent.address() + path)).build());
    }

    private static String send(HttpRequest request) {
        try (HttpClient http = HttpClient.newHttpClient()) {
            return http.send(request, BodyHandlers.ofString()).body();
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    private static boolean passes(String service) {
        return get("/v1/health/service/" + service + "?passing").contains("\"Service\"");
    }

    private static Sessions sessions(ConsulApi api, String process, Duration ttl, Set<String> lost) {
        return new Sessions(
                Environments.SYSTEM, api, new SessionSettings("gw", LONG, ttl), process, () -> {}, lost::addAll);
    }

    /** As when the gateway has died: other services of the same node have nothing to do with it. */
    @Test
    void aGatewayThatStopsBeatingMakesNobodyElseUnhealthy() throws InterruptedException {
        Polling.until("the other service is healthy", () -> passes("web"));
        try (ConsulApi api = new EcwidConsulApi(
                Environments.SYSTEM, ConsulOptions.at(agent.address().toString()))) {
            SessionSettings settings = new SessionSettings("gw", LONG, TTL);
            Heartbeat heartbeat = new Heartbeat(Environments.SYSTEM, api, "dying-1", settings);
            heartbeat.beat();
            String session = api.createSession(heartbeat.boundSession("s", LONG));
            Polling.until("the check passes", () -> passes("flockgate"));

            Polling.until("the session ends", () -> !api.renewSession(session));

            Polling.until("the check fails", () -> !passes("flockgate"));
            assertThat(passes("web")).isTrue();
            assertThat(get("/v1/agent/checks")).contains("\"flockgate-dying-1\"");
            heartbeat.end();
        }
    }

    @Test
    void nothingIsLeftWithTheAgentAfterAGracefulEnd() {
        Set<String> lost = ConcurrentHashMap.newKeySet();
        try (ConsulApi api = new EcwidConsulApi(
                Environments.SYSTEM, ConsulOptions.at(agent.address().toString()))) {
            try (Sessions sessions = sessions(api, "polite-1", TTL, lost)) {
                sessions.start();
                assertThat(sessions.failure()).isEmpty();
                assertThat(get("/v1/agent/services")).contains("flockgate-polite-1");
            }
            assertThat(get("/v1/agent/services")).doesNotContain("flockgate-polite-1");
            assertThat(get("/v1/agent/checks")).doesNotContain("flockgate-polite-1");
        }
        assertThat(lost).isEmpty();
    }

    /** A connection that has been dropped without a word, say. */
    @Test
    void oneHeartbeatWithoutAnAnswerLosesNothing() throws InterruptedException {
        FakeConsul consul = new FakeConsul();
        AtomicBoolean hangs = new AtomicBoolean();
        Duration ttl = TTL.multipliedBy(2);
        Set<String> lost = ConcurrentHashMap.newKeySet();
        try (Sessions sessions = sessions(hanging(consul, hangs), "hung-1", ttl, lost)) {
            sessions.start();
            String own = sessions.lockSession();
            hangs.set(true);
            Polling.until("a heartbeat hangs", () -> !hangs.get());
            Thread.sleep(ttl);
            assertThat(lost).isEmpty();
            assertThat(sessions.lockSession()).isEqualTo(own);
        }
    }

    /** The next heartbeat is not answered until its time is up, or for longer than all believe in the session. */
    private ConsulApi hanging(FakeConsul consul, AtomicBoolean hangs) {
        return new ForwardingConsulApi(consul) {
            @Override
            public boolean passCheck(String id, Duration limit) {
                if (!hangs.get()) {
                    return super.passCheck(id, limit);
                }
                long end = System.nanoTime() + Math.min(limit.toNanos(), LONG.toNanos());
                holdWhile(() -> System.nanoTime() - end < 0);
                hangs.set(false);
                throw new ConsulException(FailureKind.UNAVAILABLE, Effect.UNKNOWN, "no answer");
            }
        };
    }
}
