package io.flockgate.client.server;

import static io.flockgate.client.server.TestLeases.CLAIM;
import static io.flockgate.client.server.TestLeases.PATIENCE;
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
import io.flockgate.client.LeaseBackend.AcquireResult.Contended;
import io.flockgate.client.LeaseBackend.AcquireResult.Granted;
import io.flockgate.client.LeaseBackend.GrantRequest;
import io.flockgate.client.LeaseBackend.ReleaseResult;
import io.flockgate.client.LeaseBackend.RenewResult;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseRefusedException;
import io.flockgate.client.Loss;
import io.flockgate.client.LostReason;
import io.flockgate.client.Subscription;
import io.flockgate.testsupport.Reply;
import io.flockgate.testsupport.ScriptedServer;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The REST back end with each kind of answer, from a scripted server. */
@Execution(ExecutionMode.CONCURRENT)
class RestAnswersTest {
    private static final Duration TTL = Duration.ofSeconds(6);
    private static final String GRANT = granted(TTL);

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

    private static LeaseBackend backend(URI... servers) {
        return Flockgate.backend(
                ConnectOptions.defaults().clientName("scripted").authToken("s3cret"), List.of(servers));
    }

    private static AcquireRequest claim(Duration wait) {
        return TestLeases.claim(TTL, wait, PATIENCE);
    }

    private static GrantRequest grant() {
        return TestLeases.grant(TTL, PATIENCE);
    }

    private static void assertUnavailable(CompletionStage<?> stage, boolean mayHold, String words) {
        TestLeases.assertUnavailable(stage, mayHold).hasMessageContaining(words).hasMessageNotContaining("s3cret");
    }

    @Test
    void aSessionIsDetachedNamedAndUsedAgain() throws Exception {
        withSessions(server).on(CLAIM, 200, GRANT).on(CLAIM + "/release", 204, "");

        Granted granted = (Granted) get(backend.acquire(claim(Duration.ZERO)));
        assertThat(get(backend.release(grant()))).isEqualTo(ReleaseResult.RELEASED);
        assertThat(get(backend.acquire(claim(Duration.ZERO)))).isInstanceOf(Granted.class);

        assertThat(granted.fence()).hasValue(0x18a6c3f2b91d4007L);
        assertThat(granted.ttl()).hasSeconds(6);
        assertThat(requests(server))
                .containsExactly("POST /v1/sessions", CLAIM + " s1", CLAIM + "/release s1", CLAIM + " s1");
        assertThat(server.received().get(0).body())
                .matches("\\{\"name\":\"scripted\",\"detached\":true,\"losses\":\"[0-9a-f]{32}\"}");
        assertThat(server.received().get(1).body()).isEqualTo("{\"acquire_timeout_s\":0,\"lease_ttl_s\":6}");
    }

    @Test
    void aClaimNeverUsesASessionWithAGrant() throws Exception {
        withSessions(server).on(CLAIM, 200, GRANT);

        var unused = get(backend.acquire(claim(Duration.ZERO)));
        var unusedToo = get(backend.acquire(claim(Duration.ZERO)));

        assertThat(requests(server))
                .containsExactly("POST /v1/sessions", CLAIM + " s1", "POST /v1/sessions", CLAIM + " s2");
    }

    @Test
    void aClaimWithoutAnAnswerIsSettledByTheEndOfItsSession() {
        withSessions(server).on(CLAIM, Reply.end());

        assertUnavailable(backend.acquire(claim(Duration.ZERO)), false, "no answer");

        assertThat(requests(server)).contains("DELETE /v1/sessions/s1");
    }

    @Test
    void aClaimThatCannotBeSettledMayHold() {
        server.on("POST /v1/sessions", 200, "{\"session_id\":\"s1\",\"detached\":true}")
                .on(CLAIM, Reply.end())
                .on("DELETE /v1/sessions/s1", 500, "");

        assertUnavailable(backend.acquire(claim(Duration.ZERO)), true, "no answer");
    }

    @Test
    void aNoAfterAClaimThatMayHoldIsNotCertain() {
        server.on("POST /v1/sessions", 200, "{\"session_id\":\"s1\",\"detached\":true}")
                .on(CLAIM, Reply.end())
                .on(CLAIM, 200, "{\"status\":\"timeout\"}")
                .on("DELETE /v1/sessions/s1", 500, "");

        assertUnavailable(backend.acquire(claim(Duration.ofSeconds(60))), true, "may have been granted");
    }

    @ParameterizedTest
    @CsvSource({
        "500, internal",
        "503, storage_unavailable",
    })
    void aFailureOfTheStorageIsSettled(int status, String code) {
        withSessions(server).on(CLAIM, status, "{\"error\":\"" + code + "\",\"detail\":\"no leader\"}");

        assertUnavailable(backend.acquire(claim(Duration.ZERO)), false, "no leader");

        assertThat(requests(server)).contains("DELETE /v1/sessions/s1");
    }

    @ParameterizedTest
    @CsvSource({
        "429, rate_limited",
        "503, overloaded",
        "503, max_locks",
    })
    void aBusyServerIsAskedAgainWhenItSaysSo(int status, String code) throws Exception {
        withSessions(server)
                .on(CLAIM, status, "{\"error\":\"" + code + "\"}", "Retry-After: 1")
                .on(CLAIM, 200, GRANT);
        long start = System.nanoTime();

        assertThat(get(backend.acquire(claim(Duration.ZERO)))).isInstanceOf(Granted.class);

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(900));
        assertThat(requests(server)).containsExactly("POST /v1/sessions", CLAIM + " s1", CLAIM + " s1");
    }

    @Test
    void aBusyServerThatSaysNoTimeRefuses() {
        withSessions(server).on(CLAIM, 429, "{\"error\":\"rate_limited\"}");

        assertThatThrownBy(() -> get(backend.acquire(claim(Duration.ZERO))))
                .cause()
                .isInstanceOf(LeaseRefusedException.class)
                .hasMessageContaining("--http-rate-limit-per-ip");
    }

    @Test
    void aFullQueueIsANoForAClaimThatDoesNotWait() throws Exception {
        withSessions(server).on(CLAIM, 503, "{\"error\":\"max_waiters\"}");

        assertThat(get(backend.acquire(claim(Duration.ZERO)))).isInstanceOf(Contended.class);
    }

    @Test
    void aWaitThatEndsSoonAfterARefusalIsRefused() {
        withSessions(server).on(CLAIM, 503, "{\"error\":\"max_waiters\"}").on(CLAIM, Reply.hang());

        assertThatThrownBy(() -> get(backend.acquire(claim(Duration.ofMillis(900)))))
                .cause()
                .isInstanceOf(LeaseRefusedException.class)
                .hasMessageContaining("--max-waiters");
    }

    @Test
    void aClaimThatWaitsInTheQueueAfterARefusalIsANo() throws Exception {
        withSessions(server).on(CLAIM, 503, "{\"error\":\"max_waiters\"}").on(CLAIM, Reply.hang());

        assertThat(get(backend.acquire(claim(Duration.ofSeconds(3))))).isInstanceOf(Contended.class);
    }

    @Test
    void aRedirectIsNotFollowed() throws Exception {
        try (ScriptedServer other = new ScriptedServer()) {
            server.on("POST /v1/sessions", 307, "", "Location: " + other.uri() + "/v1/sessions");

            assertUnavailable(backend.acquire(claim(Duration.ZERO)), false, "is not a gateway's");
            assertUnavailable(backend.renew(grant()), false, "is not a gateway's");

            assertThat(requests(other)).isEmpty();
        }
    }

    @Test
    void aSessionThatHasEndedIsReplaced() throws Exception {
        String gone = "{\"error\":\"session_gone\"}";
        withSessions(server)
                .on(CLAIM, 410, gone)
                .on(CLAIM, 200, GRANT)
                .on(CLAIM + "/renew", 410, gone)
                .on(CLAIM + "/renew", 200, "{\"remaining_s\":5}");

        assertThat(get(backend.acquire(claim(Duration.ZERO)))).isInstanceOf(Granted.class);
        assertThat(get(backend.renew(grant()))).isEqualTo(new RenewResult.Renewed(Duration.ofSeconds(5)));

        assertThat(requests(server))
                .containsExactly(
                        "POST /v1/sessions",
                        CLAIM + " s1",
                        "POST /v1/sessions",
                        CLAIM + " s2",
                        CLAIM + "/renew s2",
                        "POST /v1/sessions",
                        CLAIM + "/renew s3");
    }

    @Test
    void aTokenThatIsNotHeldIsCertain() throws Exception {
        withSessions(server)
                .on(CLAIM + "/renew", 404, "{\"error\":\"not_held\"}")
                .on(CLAIM + "/release", 404, "{\"error\":\"not_held\"}");

        assertThat(get(backend.renew(grant()))).isInstanceOf(RenewResult.NotHeld.class);
        assertThat(get(backend.release(grant()))).isEqualTo(ReleaseResult.NOT_HELD);
    }

    @Test
    void anotherKindOf404IsNoAnswerAboutAToken() {
        withSessions(server);

        assertUnavailable(backend.renew(grant()), false, "is not a gateway's");
        assertUnavailable(backend.release(grant()), false, "is not a gateway's");
    }

    @Test
    void anAnswerThatIsNotAGatewaysIsSettled() {
        withSessions(server).on(CLAIM, 200, "<html>welcome</html>");

        assertUnavailable(backend.acquire(claim(Duration.ZERO)), false, "is not a gateway's");

        assertThat(requests(server)).contains("DELETE /v1/sessions/s1");
    }

    @ParameterizedTest
    @CsvSource({"401, unauthorized", "403, forbidden"})
    void aTokenThatIsRefusedIsToldAsSuch(int status, String code) {
        server.on("POST /v1/sessions", status, "{\"error\":\"" + code + "\"}");

        assertThatThrownBy(() -> get(backend.acquire(claim(Duration.ZERO))))
                .hasCauseInstanceOf(LeaseAuthException.class)
                .hasMessageNotContaining("s3cret");
    }

    @ParameterizedTest
    @CsvSource({"400, bad_request", "421, other_host", "409, limit_mismatch"})
    void aRequestThatNoServerWillTakeIsTheCallersFault(int status, String code) {
        withSessions(server).on(CLAIM, status, "{\"error\":\"" + code + "\"}");

        assertThatThrownBy(() -> get(backend.acquire(claim(Duration.ZERO))))
                .hasCauseInstanceOf(LeaseConfigException.class);
    }

    @Test
    void aServerThatDrainsSendsAllToTheNext() throws Exception {
        withSessions(server).on(CLAIM, 503, "{\"error\":\"draining\"}");
        try (ScriptedServer next = new ScriptedServer();
                LeaseBackend both = backend(server.uri(), next.uri())) {
            withSessions(next).on(CLAIM, 200, GRANT);

            assertThat(get(both.acquire(claim(Duration.ZERO)))).isInstanceOf(Granted.class);

            assertThat(requests(next)).contains(CLAIM + " s1");
        }
    }

    @Test
    void aGrantOfASessionThatIsNotDetachedEndsWithIt() throws Exception {
        server.on("POST /v1/sessions", 200, "{\"session_id\":\"s1\",\"idle_timeout_s\":2}")
                .on(CLAIM, 200, GRANT)
                .on("POST /v1/sessions/s1/ping", 204, "")
                .on("POST /v1/sessions/s1/ping", 410, "{\"error\":\"session_gone\"}");
        Granted granted = (Granted) get(backend.acquire(claim(Duration.ZERO)));
        CompletableFuture<Loss> told = new CompletableFuture<>();

        try (Subscription news = backend.onLoss(grant(), told::complete)) {
            assertThat(get(told).reason()).isEqualTo(LostReason.SESSION_GONE);
        }

        assertThat(granted.fence()).isEmpty();
        assertThat(requests(server)).endsWith("POST /v1/sessions/s1/ping", "POST /v1/sessions/s1/ping");
    }

    /** Begins one session, and leaves every other request unanswered. */
    private static ScriptedServer silent() {
        return new ScriptedServer()
                .on("POST /v1/sessions", 200, "{\"session_id\":\"s1\",\"idle_timeout_s\":2,\"detached\":true}")
                .otherwise(Reply.hang());
    }

    @Test
    void aServerThatFallsSilentDuringAWaitIsLeft() throws Exception {
        try (ScriptedServer next = new ScriptedServer();
                ScriptedServer silent = silent();
                LeaseBackend both = backend(silent.uri(), next.uri())) {
            withSessions(next).on(CLAIM, 200, GRANT);

            assertThat(get(both.acquire(claim(Duration.ofSeconds(60))))).isInstanceOf(Granted.class);
        }
    }
}
