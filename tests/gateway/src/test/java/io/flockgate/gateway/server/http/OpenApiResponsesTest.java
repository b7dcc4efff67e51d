package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Every answer of a real server is documented and conforms to its schema, and every documented
 * answer really occurs.
 */
@Execution(ExecutionMode.CONCURRENT)
class OpenApiResponsesTest extends AnswerChecks {

    /**
     * Answers that no test provokes from a whole server, because it has no such fault or would have
     * to stall at the right moment. RightsMatrixTest sees 403.
     */
    private static final String NOT_SEEN = ".* 500 .*|.* 403 forbidden|(acquireLock|acquireSem) 409 lease_expired"
            + "|(?!deleteSession).* 503 fence_persistence"
            + "|evictHolder 409 foreign_holder|(getReady 503 unavailable|getMetrics 503 storage_unavailable|getKey 503 storage_unavailable|(createSession|streamEvents) 503 draining|(getStats|listKeys|getKey|listDeadlocks|listGateways|getMetrics) 503 overloaded)";

    private final FleetLockAnswers fleetLock;
    private final RefusedAnswers refused;

    OpenApiResponsesTest() throws IOException {
        super(ApiDocument.published(), new TreeSet<>());
        this.fleetLock = new FleetLockAnswers(document, seen);
        this.refused = new RefusedAnswers(document, seen);
    }

    @Test
    void documentAndServerAgreeOnEveryAnswer() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp()) {
            reports(gateway);
            operators(gateway);
            sessions(gateway);
            for (String kind : KINDS) {
                grants(gateway, kind);
                twoPhase(gateway, kind);
                refused.refusals(gateway, kind);
                refused.badRequests(gateway, kind);
            }
            refused.goneSessions(gateway);
        }
        fleetLock.fleetLock();
        refused.unauthorized();
        refused.rateLimited();
        refused.caps();
        refused.storageFailures();
        refused.draining();
        refused.overloaded();
        Set<String> missing = new TreeSet<>(document.answers());
        missing.removeAll(seen);
        missing.removeIf(answer -> answer.matches(NOT_SEEN));
        assertThat(missing).as("documented, but never answered").isEmpty();
    }

    private void reports(TestGateway gateway) throws IOException {
        try (SessionClient client = SessionClient.of(gateway.httpPort());
                SessionClient waiter = SessionClient.of(gateway.httpPort())) {
            RawHttp http = client.http();
            client.lock("b%FF");
            expect("enqueueLock", "200 queued", waiter.enqueue("b%FF"));
            client.release("done", client.lock("done"));
            expect("acquireSem", "200 ok", on(client, "acquireSem", "pool"));
            expect("getKey", "200", http.get("/v1/keys/b%FF"));
            expect("getKey", "200", http.get("/v1/keys/done"));
            expect("getKey", "404 unknown_key", http.get("/v1/keys/nothing"));
            expect("getKey", "400 bad_request", http.get("/v1/keys/a%20b"));
            expect("listKeys", "200", http.get("/v1/keys"));
            expect("listKeys", "400 bad_request", http.get("/v1/keys?limit=0"));
            expect("listDeadlocks", "200", http.get("/v1/deadlocks"));
            expect("listGateways", "200", http.get("/v1/gateways"));
            expect("streamEvents", "200", http.ask("HEAD", "/v1/events", "", ""));
            expect("streamEvents", "400 bad_request", http.get("/v1/events?type=nothing"));
            expect("getStats", "200", http.get("/v1/stats"));
            expect("getMetrics", "200", http.get("/metrics"));
            expect("getHealth", "200 ok", http.get("/health"));
            expect("getReady", "200 ok", http.get("/ready"));
            expect("getOpenAPI", "200", http.get("/v1/openapi.json"));
            document.expectFits("ErrorBody", http.get("/nothing").body());
            document.expectFits(
                    "ErrorBody", http.ask("DELETE", "/health", "", "").body());
        }
    }

    private void operators(TestGateway gateway) throws IOException {
        try (SessionClient client = SessionClient.of(gateway.httpPort());
                SessionClient waiter = SessionClient.of(gateway.httpPort())) {
            RawHttp http = client.http();
            String holders = "/v1/keys/stuck/holders/";
            String fence = client.lock("stuck").substring(0, 16);
            expect("enqueueLock", "200 queued", waiter.enqueue("stuck"));
            String queue = "/v1/keys/stuck/queue/"
                    + http.get("/v1/keys/stuck").body().replaceAll("(?s).*\"id\":\"([^\"]+)\".*", "$1");
            expect("removeWaiter", "400 bad_request", http.ask("DELETE", queue, "", ""));
            expect("removeWaiter", "204", http.ask("DELETE", queue + "?reason=why", "", ""));
            expect("removeWaiter", "404 not_queued", http.ask("DELETE", queue + "?reason=why", "", ""));
            expect("evictHolder", "400 bad_request", http.ask("DELETE", holders + fence, "", ""));
            String other = holders + "0000000000000001?reason=why";
            expect("evictHolder", "409 fence_mismatch", http.ask("DELETE", other, "", ""));
            expect("evictHolder", "204", http.ask("DELETE", holders + fence + "?reason=why", "", ""));
            expect("evictHolder", "404 not_held", http.ask("DELETE", other, "", ""));
            expect("acquireSem", "200 ok", on(client, "acquireSem", "wide"));
            expect("setLimit", "204", http.ask("POST", "/v1/keys/wide/limit?limit=2&reason=why", "", ""));
            expect("setLimit", "400 bad_request", http.ask("POST", "/v1/keys/wide/limit?limit=0&reason=why", "", ""));
            String lock = "/v1/keys/stuck/limit?limit=2&reason=why";
            expect("setLimit", "409 limit_mismatch", http.ask("POST", lock, "", ""));
            String unknown = "/v1/keys/unknown/limit?limit=2&reason=why";
            expect("setLimit", "404 unknown_key", http.ask("POST", unknown, "", ""));
            expect("drain", "400 bad_request", http.ask("POST", "/v1/drain", "", ""));
            expect("drain", "204", http.ask("POST", "/v1/drain?reason=why", "", ""));
            expect("getReady", "503 draining", http.get("/ready"));
            for (String kind : KINDS) {
                expect("acquire" + kind, "503 draining", on(client, "acquire" + kind, "other"));
                expect("enqueue" + kind, "503 draining", on(client, "enqueue" + kind, "other"));
            }
            expect("undrain", "400 bad_request", http.ask("POST", "/v1/undrain?x=%FF", "", ""));
            expect("undrain", "204", http.ask("POST", "/v1/undrain", "", ""));
        }
    }

    private void sessions(TestGateway gateway) throws IOException {
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            Response created = expect("createSession", "200", http.ask("POST", "/v1/sessions", "", ""));
            Response detached = http.ask("POST", "/v1/sessions", "", "{\"detached\":true}");
            assertThat(expect("createSession", "200", detached).member("incarnation"))
                    .isNotEmpty();
            expect("createSession", "400 bad_request", http.ask("POST", "/v1/sessions", "", "{\"name\":\"\"}"));
            String session = "/v1/sessions/" + created.member("session_id");
            expect("pingSession", "204", http.ask("POST", session + "/ping", "", ""));
            pingAfterALoss(http);
            expect("deleteSession", "204", http.ask("DELETE", session, "", ""));
            expect("pingSession", "410 session_gone", http.ask("POST", session + "/ping", "", ""));
            expect("deleteSession", "410 session_gone", http.ask("DELETE", session, "", ""));
            expect("pingSession", "400 bad_request", http.ask("POST", "/v1/sessions/x/ping", "", ""));
            expect("deleteSession", "400 bad_request", http.ask("DELETE", "/v1/sessions/x", "", ""));
        }
    }

    private void pingAfterALoss(RawHttp http) throws IOException {
        Response created =
                expect("createSession", "200", http.ask("POST", "/v1/sessions", "", "{\"losses\":\"here\"}"));
        String id = created.member("session_id");
        String session = "X-Dflockd-Session: " + id + "\r\n";
        String fence = http.ask("POST", "/v1/locks/lost", session, "{}")
                .member("token")
                .substring(0, 16);
        expect("evictHolder", "204", http.ask("DELETE", "/v1/keys/lost/holders/" + fence + "?reason=why", "", ""));
        expect("pingSession", "200", http.ask("POST", "/v1/sessions/" + id + "/ping", "", ""));
    }

    private void grants(TestGateway gateway, String kind) throws IOException {
        try (SessionClient client = SessionClient.of(gateway.httpPort())) {
            String key = "granted" + kind;
            String token = expect("acquire" + kind, "200 ok", on(client, "acquire" + kind, key))
                    .token();
            expect("acquire" + kind, "200 timeout", on(client, "acquire" + kind, key));
            expect("renew" + kind, "200", client.post(path("renew" + kind, key), with(token)));
            expect("release" + kind, "204", client.post(path("release" + kind, key), with(token)));
            expect("release" + kind, "404 not_held", client.post(path("release" + kind, key), with(token)));
            expect("renew" + kind, "404 not_held", client.post(path("renew" + kind, key), with(token)));
        }
    }

    private void twoPhase(TestGateway gateway, String kind) throws IOException {
        try (SessionClient holder = SessionClient.of(gateway.httpPort());
                SessionClient waiter = SessionClient.of(gateway.httpPort());
                LineClient looker = LineClient.connect(gateway.port())) {
            String key = "phases" + kind;
            expect("enqueue" + kind, "200 acquired", on(holder, "enqueue" + kind, key));
            expect("enqueue" + kind, "200 queued", on(waiter, "enqueue" + kind, key));
            expect("wait" + kind, "200 ok", on(holder, "wait" + kind, key));
            expect("enqueue" + kind, "409 already_enqueued", on(waiter, "enqueue" + kind, key));
            expect("wait" + kind, "200 timeout", on(waiter, "wait" + kind, key));
            expect("wait" + kind, "409 not_enqueued", on(waiter, "wait" + kind, key));
            String lease = kind.equals("Sem") ? "{\"limit\":1,\"lease_ttl_s\":1}" : "{\"lease_ttl_s\":1}";
            expect("enqueue" + kind, "200 acquired", holder.post(path("enqueue" + kind, "short" + kind), lease));
            looker.awaitStats("\"idle_.*\"short" + kind);
            expect("wait" + kind, "409 lease_expired", on(holder, "wait" + kind, "short" + kind));
        }
    }
}
