package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.gateway.TestGateway;
import io.flockgate.gateway.server.FaultyStorage;
import io.flockgate.gateway.server.http.ApiDocument.DocumentedOperation;
import io.flockgate.testsupport.LineClient;
import io.vertx.core.Future;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Whatever a real server answers is documented and as its schema says, and what is documented is really answered. */
@Execution(ExecutionMode.CONCURRENT)
class OpenApiResponsesTest {
    private static final List<String> KINDS = List.of("Lock", "Sem");
    private static final List<String> ON_KEYS = List.of("acquire", "enqueue", "wait", "release", "renew");
    private static final String NOBODY = "0123456789abcdef0123456789abcdef";

    /** What no test brings a whole server to: it has no such fault, or needs a stall at the right moment. RightsMatrixTest sees 403. */
    private static final String NOT_SEEN = ".* 500 .*|.* 403 forbidden|(acquireLock|acquireSem) 409 lease_expired"
            + "|(?!deleteSession).* 503 fence_persistence"
            + "|evictHolder 409 foreign_holder|(getReady 503 unavailable|getMetrics 503 storage_unavailable|getKey 503 storage_unavailable|(createSession|streamEvents) 503 draining|listKeys 503 overloaded)";

    private final ApiDocument document;
    private final Set<String> seen = new TreeSet<>();

    OpenApiResponsesTest() throws IOException {
        document = ApiDocument.published();
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
                refusals(gateway, kind);
                badRequests(gateway, kind);
            }
            goneSessions(gateway);
        }
        fleetLock();
        unauthorized();
        rateLimited();
        caps();
        storageFailures();
        draining();
        overloaded();
        Set<String> missing = new TreeSet<>(document.answers());
        missing.removeAll(seen);
        missing.removeIf(answer -> answer.matches(NOT_SEEN));
        assertThat(missing).as("documented, but never answered").isEmpty();
    }

    @CanIgnoreReturnValue
    private Response expect(String operation, String answer, Response response) throws IOException {
        String found = document.expect(operation, response);
        assertThat(found).as("%s: %s", operation, response).isEqualTo(answer);
        seen.add(operation + " " + found);
        return response;
    }

    /** The path of an operation, with this in place of what is free. */
    private String path(String operation, String free) {
        return document.operation(operation).path().replaceAll("\\{[a-z]+}", free);
    }

    /** Asks with the least that a body must have. */
    private Response on(RestClient client, String operation, String key) throws IOException {
        return client.post(path(operation, key), "{" + needed(operation) + "}");
    }

    private static String needed(String operation) {
        return switch (operation) {
            case "releaseLock", "releaseSem", "renewLock", "renewSem" -> "\"token\":\"x\"";
            case "acquireSem", "enqueueSem" -> "\"limit\":1";
            default -> "";
        };
    }

    private static String with(String token) {
        return "{\"token\":\"" + token + "\"}";
    }

    // What goes well

    private void reports(TestGateway gateway) throws IOException {
        try (RestClient client = RestClient.of(gateway.httpPort());
                RestClient waiter = RestClient.of(gateway.httpPort())) {
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
        try (RestClient client = RestClient.of(gateway.httpPort());
                RestClient waiter = RestClient.of(gateway.httpPort())) {
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
            expect("createSession", "400 bad_request", http.ask("POST", "/v1/sessions", "", "{\"name\":\"\"}"));
            String session = "/v1/sessions/" + created.member("session_id");
            expect("pingSession", "204", http.ask("POST", session + "/ping", "", ""));
            expect("deleteSession", "204", http.ask("DELETE", session, "", ""));
            expect("pingSession", "410 session_gone", http.ask("POST", session + "/ping", "", ""));
            expect("deleteSession", "410 session_gone", http.ask("DELETE", session, "", ""));
            expect("pingSession", "400 bad_request", http.ask("POST", "/v1/sessions/x/ping", "", ""));
            expect("deleteSession", "400 bad_request", http.ask("DELETE", "/v1/sessions/x", "", ""));
        }
    }

    private void grants(TestGateway gateway, String kind) throws IOException {
        try (RestClient client = RestClient.of(gateway.httpPort())) {
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
        try (RestClient holder = RestClient.of(gateway.httpPort());
                RestClient waiter = RestClient.of(gateway.httpPort());
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

    private void fleetLock() throws IOException {
        try (TestGateway gateway = TestGateway.startWithHttp("--fleetlock-groups=g", "--fleetlock-volatile");
                RawHttp http = RawHttp.of(gateway.httpPort())) {
            String body = "{\"client_params\":{\"id\":\"a/b\",\"group\":\"g\"}}";
            assertThat(http.ask("POST", "/v1/pre-reboot", "fleet-lock-protocol: true\r\n", body)
                            .status())
                    .isEqualTo(200);
            String group = "/v1/fleetlock/groups/g";
            String holder = group + "/holders/a%2Fb?reason=why";
            expect("listGroups", "200", http.get("/v1/fleetlock/groups"));
            expect("getGroup", "200", http.get(group));
            expect("pauseGroup", "200", http.ask("POST", group + "/pause?reason=why", "", ""));
            expect("resumeGroup", "200", http.ask("POST", group + "/resume", "", ""));
            expect("removeHolder", "409 fence_mismatch", http.ask("DELETE", holder + "&fence=7", "", ""));
            expect("removeHolder", "204", http.ask("DELETE", holder, "", ""));
            expect("removeHolder", "404 not_held", http.ask("DELETE", holder, "", ""));
            expect("removeHolder", "400 bad_request", http.ask("DELETE", group + "/holders/a", "", ""));
            expect("pauseGroup", "400 bad_request", http.ask("POST", group + "/pause", "", ""));
            expect("resumeGroup", "400 bad_request", http.ask("POST", group + "/resume?x=%FF", "", ""));
            expect("getGroup", "400 bad_request", http.get(group + "?x=%FF"));
            onUnknownGroups(http, "unknown_group");
        }
        try (TestGateway gateway = TestGateway.startWithHttp("--storage=faulty", "--fleetlock-groups=unavailable");
                RawHttp http = RawHttp.of(gateway.httpPort())) {
            String group = "/v1/fleetlock/groups/unavailable";
            String error = "503 storage_unavailable";
            expect("listGroups", error, http.get("/v1/fleetlock/groups"));
            expect("getGroup", error, http.get(group));
            expect("pauseGroup", error, http.ask("POST", group + "/pause?reason=why", "", ""));
            expect("resumeGroup", error, http.ask("POST", group + "/resume", "", ""));
            expect("removeHolder", error, http.ask("DELETE", group + "/holders/a?reason=why", "", ""));
        }
        try (TestGateway gateway = TestGateway.startWithHttp();
                RawHttp http = RawHttp.of(gateway.httpPort())) {
            expect("listGroups", "404 not_found", http.get("/v1/fleetlock/groups"));
            onUnknownGroups(http, "not_found");
        }
    }

    private void onUnknownGroups(RawHttp http, String error) throws IOException {
        String group = "/v1/fleetlock/groups/other";
        expect("getGroup", "404 " + error, http.get(group));
        expect("pauseGroup", "404 " + error, http.ask("POST", group + "/pause?reason=why", "", ""));
        expect("resumeGroup", "404 " + error, http.ask("POST", group + "/resume", "", ""));
        expect("removeHolder", "404 " + error, http.ask("DELETE", group + "/holders/a?reason=why", "", ""));
    }

    // What does not

    private void refusals(TestGateway gateway, String kind) throws IOException {
        try (RestClient client = RestClient.of(gateway.httpPort())) {
            String other = kind.equals("Lock") ? "Sem" : "Lock";
            String key = "mismatch" + kind;
            expect("acquire" + other, "200 ok", on(client, "acquire" + other, key));
            expect("acquire" + kind, "409 limit_mismatch", on(client, "acquire" + kind, key));
            expect("enqueue" + kind, "409 limit_mismatch", on(client, "enqueue" + kind, key));
        }
    }

    private void badRequests(TestGateway gateway, String kind) throws IOException {
        try (RestClient client = RestClient.of(gateway.httpPort())) {
            for (String verb : ON_KEYS) {
                String path = path(verb + kind, "bad");
                expect(verb + kind, "400 bad_request", client.post(path, "{"));
                expect(verb + kind, "400 bad_request", client.http().ask("POST", path, "", "{}"));
                expect(verb + kind, "400 bad_request", on(client, verb + kind, "a%20b"));
            }
        }
    }

    private void goneSessions(TestGateway gateway) throws IOException {
        try (RestClient client = RestClient.of(gateway.httpPort())) {
            assertThat(client.delete().status()).isEqualTo(204);
            for (DocumentedOperation operation : document.operations()) {
                if (operation.hasBody()) {
                    expect(operation.id(), "410 session_gone", on(client, operation.id(), "gone"));
                }
            }
        }
    }

    /** Each operation on a connection of its own, since a refused one waits. */
    private void unauthorized() throws IOException {
        List<RawHttp> asked = new ArrayList<>();
        try (TestGateway gateway = TestGateway.startWithHttp("--auth-token=s3cret")) {
            List<DocumentedOperation> guarded = document.operations().stream()
                    .filter(operation -> operation.responses().has("401"))
                    .toList();
            for (DocumentedOperation operation : guarded) {
                RawHttp http = RawHttp.of(gateway.httpPort());
                asked.add(http);
                http.send(RawHttp.request(operation.method(), path(operation.id(), NOBODY), "", ""));
            }
            for (int i = 0; i < guarded.size(); i++) {
                expect(guarded.get(i).id(), "401 unauthorized", asked.get(i).response());
            }
            for (RawHttp http : asked) {
                http.close();
            }
        }
    }

    private void rateLimited() throws IOException {
        try (TestGateway gateway =
                        TestGateway.startWithHttp("--http-rate-limit-per-ip=1", "--http-rate-limit-burst=1");
                RawHttp http = RawHttp.of(gateway.httpPort())) {
            for (DocumentedOperation operation : document.operations()) {
                if (operation.responses().has("429")) {
                    // Where it is admitted, a stream of events would have no end.
                    String path = path(operation.id(), NOBODY) + "?type=nothing";
                    Response response = first(429, () -> http.ask(operation.method(), path, "", ""));
                    expect(operation.id(), "429 rate_limited", response);
                }
            }
        }
    }

    private void caps() throws IOException {
        try (TestGateway gateway = TestGateway.startWithHttp(
                        "--max-locks=2", "--max-waiters=1", "--http-max-sessions=3", "--http-max-sessions-per-ip=2");
                RestClient holder = RestClient.of(gateway.httpPort());
                RestClient waiter = RestClient.of(gateway.httpPort())) {
            expect("createSession", "503 max_sessions_per_ip", holder.http().ask("POST", "/v1/sessions", "", ""));
            for (String kind : KINDS) {
                expect("acquire" + kind, "200 ok", on(holder, "acquire" + kind, "full" + kind));
                expect("enqueue" + kind, "200 queued", on(waiter, "enqueue" + kind, "full" + kind));
            }
            for (String kind : KINDS) {
                expect("acquire" + kind, "503 max_locks", on(holder, "acquire" + kind, "third"));
                expect("enqueue" + kind, "503 max_locks", on(holder, "enqueue" + kind, "third"));
                expect("acquire" + kind, "503 max_waiters", on(holder, "acquire" + kind, "full" + kind));
                expect("enqueue" + kind, "503 max_waiters", on(holder, "enqueue" + kind, "full" + kind));
            }
        }
        capsOnClaims();
        try (TestGateway gateway = TestGateway.startWithHttp("--http-max-event-streams=1");
                RawHttp watching = RawHttp.of(gateway.httpPort());
                RawHttp http = RawHttp.of(gateway.httpPort())) {
            watching.send(RawHttp.request("GET", "/v1/events", "", ""));
            watching.awaitBytes(": flockgate");
            expect("streamEvents", "503 max_event_streams", http.get("/v1/events"));
        }
        try (TestGateway gateway = TestGateway.startWithHttp("--http-max-sessions=1");
                RestClient only = RestClient.of(gateway.httpPort())) {
            expect("createSession", "503 max_sessions", only.http().ask("POST", "/v1/sessions", "", ""));
        }
    }

    private void capsOnClaims() throws IOException {
        for (String cap : List.of("max_holders", "max_holders_per_key", "max_holders_per_client")) {
            try (TestGateway gateway = TestGateway.startWithHttp("--" + cap.replace('_', '-') + "=1");
                    RestClient client = RestClient.of(gateway.httpPort())) {
                String wide = "{\"limit\":5}";
                expect("acquireSem", "200 ok", client.post(path("acquireSem", "full"), wide));
                expect("acquireSem", "503 " + cap, client.post(path("acquireSem", "full"), wide));
                expect("enqueueSem", "503 " + cap, client.post(path("enqueueSem", "full"), wide));
            }
        }
        for (String cap : List.of("max_enqueued", "max_enqueued_per_client")) {
            try (TestGateway gateway = TestGateway.startWithHttp("--" + cap.replace('_', '-') + "=1");
                    RestClient client = RestClient.of(gateway.httpPort())) {
                expect("enqueueLock", "200 acquired", client.enqueue("one"));
                expect("enqueueLock", "503 " + cap, client.enqueue("two"));
                expect("enqueueSem", "503 " + cap, on(client, "enqueueSem", "three"));
            }
        }
    }

    private void storageFailures() throws IOException {
        try (TestGateway gateway = TestGateway.startWithHttp("--storage=faulty");
                RestClient holder = RestClient.of(gateway.httpPort());
                RestClient client = RestClient.of(gateway.httpPort())) {
            for (String kind : KINDS) {
                for (String verb : List.of("acquire", "enqueue", "release", "renew")) {
                    Response failed = on(client, verb + kind, FaultyStorage.NOT_DONE);
                    expect(verb + kind, "503 storage_unavailable", failed);
                }
            }
            String key = "/v1/keys/" + FaultyStorage.NOT_DONE;
            expect(
                    "evictHolder",
                    "503 storage_unavailable",
                    client.http().ask("DELETE", key + "/holders/0000000000000001?reason=why", "", ""));
            expect(
                    "removeWaiter",
                    "503 storage_unavailable",
                    client.http().ask("DELETE", key + "/queue/1?reason=why", "", ""));
            waitsWhileTheStorageFails(gateway);
            holder.lock(FaultyStorage.FENCELESS);
            expect("deleteSession", "503 fence_persistence", holder.delete());
            client.lock(FaultyStorage.BLIND);
            expect("listKeys", "503 storage_unavailable", client.http().get("/v1/keys"));
            expect("listDeadlocks", "503 storage_unavailable", client.http().get("/v1/deadlocks"));
            expect("getStats", "503 storage_unavailable", client.http().get("/v1/stats"));
        }
    }

    /** At this key the leaving of the queue fails. */
    private void waitsWhileTheStorageFails(TestGateway gateway) throws IOException {
        try (RestClient holder = RestClient.of(gateway.httpPort());
                RestClient waiter = RestClient.of(gateway.httpPort())) {
            holder.lock("clinging");
            for (String kind : KINDS) {
                expect("enqueueLock", "200 queued", waiter.enqueue("clinging"));
                expect("wait" + kind, "503 storage_unavailable", on(waiter, "wait" + kind, "clinging"));
            }
            expect("enqueueLock", "200 queued", waiter.enqueue("clinging"));
            expect("deleteSession", "503 storage_unavailable", waiter.delete());
        }
    }

    private void draining() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp("--shutdown-delay=1");
                RawHttp http = RawHttp.of(gateway.httpPort())) {
            assertThat(http.get("/health").status()).isEqualTo(200);
            Future<Void> stopped = gateway.gateway().stop();
            expect("getReady", "503 draining", http.get("/ready"));
            stopped.await(LineClient.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    private void overloaded() throws IOException {
        List<RestClient> stuck = new ArrayList<>();
        try (TestGateway gateway = TestGateway.startWithHttp();
                RestClient session = RestClient.of(gateway.httpPort())) {
            for (DocumentedOperation operation : document.operations()) {
                if (operation.hasBody()) {
                    String path = path(operation.id(), "stuck");
                    expect(operation.id(), "503 overloaded", first(503, () -> large(session, path, stuck)));
                }
            }
            expect("createSession", "503 overloaded", first(503, () -> large(session, "/v1/sessions", stuck)));
            for (RestClient client : stuck) {
                client.close();
            }
        }
    }

    /** A large body; where there is memory for it, one that does not come whole takes some of that away. */
    private static Response large(RestClient session, String path, List<RestClient> stuck) throws IOException {
        try (RestClient client = session.again()) {
            Response response = client.post(path, " ".repeat(1_000_000));
            if (response.status() != 503) {
                RestClient holder = session.again();
                String part = " ".repeat(stuck.size() < 70 ? 1_000_000 : 60_000);
                stuck.add(holder);
                holder.http()
                        .send(RawHttp.request("POST", path, session.header() + "Content-Length: 1048576\r\n", part));
            }
            return response;
        }
    }

    private interface Request {
        Response ask() throws IOException;
    }

    /** Asks until the answer has this status, but not for ever. */
    private static Response first(int status, Request request) throws IOException {
        Response response = request.ask();
        for (int i = 0; i < 200 && response.status() != status; i++) {
            response = request.ask();
        }
        return response;
    }
}
