package io.flockgate.client.server;

import static io.flockgate.client.server.TestLeases.CLAIM;
import static io.flockgate.client.server.TestLeases.PATIENCE;
import static io.flockgate.client.server.TestLeases.assertUnavailable;
import static io.flockgate.client.server.TestLeases.get;
import static io.flockgate.client.server.TestLeases.granted;
import static io.flockgate.client.server.TestLeases.requests;
import static io.flockgate.client.server.TestLeases.withSessions;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.client.ConnectOptions;
import io.flockgate.client.Flockgate;
import io.flockgate.client.LeaseAuthException;
import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseBackend.AcquireRequest;
import io.flockgate.client.LeaseBackend.AcquireResult;
import io.flockgate.client.LeaseBackend.AcquireResult.Contended;
import io.flockgate.client.LeaseBackend.AcquireResult.Granted;
import io.flockgate.client.LeaseBackend.GrantRequest;
import io.flockgate.client.LeaseBackend.RenewResult.Renewed;
import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.Subscription;
import io.flockgate.testsupport.Polling;
import io.flockgate.testsupport.Reply;
import io.flockgate.testsupport.ScriptedServer;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The sessions of the REST back end: where they begin, when they are no longer used, and what is
 * known of their grants.
 */
@Execution(ExecutionMode.CONCURRENT)
class RestSessionsTest {
    private static final Duration TTL = Duration.ofMinutes(10);
    private static final String GRANT = granted(TTL);
    private static final String GONE = "{\"error\":\"session_gone\"}";
    private static final String PLAIN = "{\"session_id\":\"s1\",\"idle_timeout_s\":60}";

    private final Map<Runnable, Duration> longTimers = new ConcurrentHashMap<>();
    private ScriptedServer server;
    private LeaseBackend backend;

    @BeforeEach
    void start() throws Exception {
        server = new ScriptedServer();
        backend = backend(server.uri());
    }

    @AfterEach
    void stop() {
        backend.close();
        server.close();
    }

    private LeaseBackend backend(URI... servers) {
        LeaseEnvironment system = LeaseEnvironment.system();
        LeaseEnvironment noting = new LeaseEnvironment(
                system.ticker(),
                system.wallClock(),
                (delay, task) -> timer(system, delay, task),
                system.callbackExecutor(),
                system.random());
        return Flockgate.backend(ConnectOptions.defaults().environment(noting), List.of(servers));
    }

    /** Records timers of a minute and more, instead of running them. */
    private Subscription timer(LeaseEnvironment system, Duration delay, Runnable task) {
        if (delay.compareTo(Duration.ofMinutes(1)) < 0) {
            return system.scheduler().after(delay, task);
        }
        longTimers.put(task, delay);
        return () -> longTimers.remove(task);
    }

    private static AcquireRequest claim(Duration wait, Duration patience) {
        return TestLeases.claim(TTL, wait, patience);
    }

    private static AcquireRequest claim() {
        return claim(Duration.ZERO, PATIENCE);
    }

    private static GrantRequest grant() {
        return TestLeases.grant(TTL, PATIENCE);
    }

    @Test
    void aSilentFirstServerLeavesTimeForTheNext() throws Exception {
        withSessions(server).on(CLAIM, 200, GRANT).on(CLAIM + "/renew", 200, "{\"remaining_s\":600}");
        Duration patience = Duration.ofSeconds(10);
        try (ScriptedServer silent = new ScriptedServer().otherwise(Reply.hang());
                LeaseBackend claims = backend(silent.uri(), server.uri());
                LeaseBackend renewals = backend(silent.uri(), server.uri())) {
            CompletionStage<AcquireResult> granted = claims.acquire(claim(Duration.ZERO, patience));

            assertThat(get(renewals.renew(TestLeases.grant(TTL, patience)))).isInstanceOf(Renewed.class);
            assertThat(get(granted)).isInstanceOf(Granted.class);
        }
    }

    @Test
    void aWaitGoesOnWhileItsTimeLasts() throws Exception {
        try (ScriptedServer silent = new ScriptedServer().otherwise(Reply.hang());
                ScriptedServer away = new ScriptedServer();
                LeaseBackend both = backend(silent.uri(), away.uri())) {
            String draining = "{\"error\":\"draining\"}";
            away.on("POST /v1/sessions", 503, draining)
                    .on("POST /v1/sessions", 503, draining)
                    .on("POST /v1/sessions", 200, "{\"session_id\":\"s1\",\"detached\":true}")
                    .on(CLAIM, 200, GRANT);

            assertThat(get(both.acquire(claim(Duration.ofSeconds(60), Duration.ofSeconds(1)))))
                    .isInstanceOf(Granted.class);
        }
    }

    @Test
    void theEndOfADetachedSessionByItselfSettlesNothing() throws Exception {
        server.on("POST /v1/sessions", 200, "{\"session_id\":\"s1\",\"detached\":true}")
                .on(CLAIM, Reply.end())
                .on("DELETE /v1/sessions/s1", 410, GONE);
        try (ScriptedServer older = new ScriptedServer();
                LeaseBackend bound = backend(older.uri())) {
            older.on("POST /v1/sessions", 200, PLAIN).on(CLAIM, Reply.end()).on("DELETE /v1/sessions/s1", 410, GONE);

            assertUnavailable(backend.acquire(claim()), true);
            assertUnavailable(bound.acquire(claim()), false);
        }
    }

    @Test
    void theSessionsFromBeforeARestartAreTriedOnce() throws Exception {
        withSessions(server).on(CLAIM, 200, GRANT);
        List<CompletionStage<AcquireResult>> grants = new ArrayList<>();
        for (int n = 0; n < 5; n++) {
            grants.add(backend.acquire(claim()));
            var unused = get(grants.getLast());
        }
        server.on(CLAIM + "/renew", 410, GONE).on(CLAIM + "/renew", 200, "{\"remaining_s\":600}");

        assertThat(get(backend.renew(grant()))).isInstanceOf(Renewed.class);
        assertThat(requests(server)).endsWith(CLAIM + "/renew s5", "POST /v1/sessions", CLAIM + "/renew s6");
        server.on(CLAIM + "/release", 410, GONE).on(CLAIM + "/release", 204, "");
        var unused = get(backend.release(grant()));
        assertThat(requests(server)).endsWith(CLAIM + "/release s6", "POST /v1/sessions", CLAIM + "/release s7");
    }

    @Test
    void aGrantIsForgottenWhenItsLeaseIsOver() throws Exception {
        server.on("POST /v1/sessions", 200, PLAIN)
                .on(CLAIM, 200, GRANT)
                .on("POST /v1/sessions/s1/ping", 204, "")
                .on(CLAIM + "/release", 503, "{\"error\":\"storage_unavailable\"}");
        var unused = get(backend.acquire(claim()));
        assertUnavailable(backend.release(grant()), true);

        assertThat(longTimers.values())
                .singleElement()
                .satisfies(delay -> assertThat(delay).isGreaterThan(TTL));
        longTimers.keySet().forEach(Runnable::run);

        assertThat(longTimers).isEmpty();
        assertThat(get(backend.acquire(claim()))).isInstanceOf(Granted.class);
        assertThat(requests(server)).filteredOn("POST /v1/sessions"::equals).hasSize(1);
    }

    @Test
    void timersEndWithTheirGrantAndWithTheClient() throws Exception {
        withSessions(server).on(CLAIM, 200, GRANT).on(CLAIM + "/release", 204, "");
        var unused = get(backend.acquire(claim()));
        var unusedToo = get(backend.release(grant()));
        assertThat(longTimers).isEmpty();

        server.on(CLAIM + "/renew", 200, "{\"remaining_s\":900}");
        var unusedNext = get(backend.acquire(claim()));
        var unusedLast = get(backend.renew(grant()));
        assertThat(longTimers.values())
                .singleElement()
                .satisfies(delay -> assertThat(delay).isGreaterThan(Duration.ofMinutes(15)));
        backend.close();
        Polling.until("the end of the timers", longTimers::isEmpty);
    }

    @Test
    void aSessionThatIsUsedNoMoreIsEnded() throws Exception {
        withSessions(server).on(CLAIM, 200, "{\"status\":\"timeout\"}").on(CLAIM, 503, "{\"error\":\"draining\"}");
        try (ScriptedServer next = new ScriptedServer();
                LeaseBackend both = backend(server.uri(), next.uri())) {
            withSessions(next).on(CLAIM, 200, "{\"status\":\"timeout\"}");

            assertThat(get(both.acquire(claim()))).isInstanceOf(Contended.class);
            assertThat(get(both.acquire(claim()))).isInstanceOf(Contended.class);

            Polling.until("the end", () -> requests(server).contains("DELETE /v1/sessions/s1"));
        }
    }

    @Test
    void aRefusalByRightKeepsTheSession() throws Exception {
        String forbidden = "{\"error\":\"forbidden\"}";
        withSessions(server)
                .on(CLAIM + "/renew", 403, forbidden)
                .on(CLAIM + "/release", 403, forbidden)
                .on(CLAIM, 200, GRANT);

        assertThatThrownBy(() -> get(backend.renew(grant()))).hasCauseInstanceOf(LeaseAuthException.class);
        assertThatThrownBy(() -> get(backend.release(grant()))).hasCauseInstanceOf(LeaseAuthException.class);
        assertThat(get(backend.acquire(claim()))).isInstanceOf(Granted.class);

        assertThat(requests(server))
                .containsExactly("POST /v1/sessions", CLAIM + "/renew s1", CLAIM + "/release s1", CLAIM + " s1");
    }
}
