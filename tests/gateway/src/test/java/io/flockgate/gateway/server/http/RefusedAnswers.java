package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.gateway.server.FaultyStorage;
import io.flockgate.gateway.server.TokensFixture;
import io.flockgate.gateway.server.http.ApiDocument.DocumentedOperation;
import io.flockgate.testsupport.LineClient;
import io.vertx.core.Future;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Answers to what a server refuses or cannot do. */
final class RefusedAnswers extends AnswerChecks {
    private static final List<String> ON_KEYS = List.of("acquire", "enqueue", "wait", "release", "renew");
    private static final String NOBODY = "0123456789abcdef0123456789abcdef";

    RefusedAnswers(ApiDocument document, Set<String> seen) {
        super(document, seen);
    }

    void refusals(TestGateway gateway, String kind) throws IOException {
        try (SessionClient client = SessionClient.of(gateway.httpPort())) {
            String other = kind.equals("Lock") ? "Sem" : "Lock";
            String key = "mismatch" + kind;
            expect("acquire" + other, "200 ok", on(client, "acquire" + other, key));
            expect("acquire" + kind, "409 limit_mismatch", on(client, "acquire" + kind, key));
            expect("enqueue" + kind, "409 limit_mismatch", on(client, "enqueue" + kind, key));
        }
    }

    void badRequests(TestGateway gateway, String kind) throws IOException {
        try (SessionClient client = SessionClient.of(gateway.httpPort())) {
            for (String verb : ON_KEYS) {
                String path = path(verb + kind, "bad");
                expect(verb + kind, "400 bad_request", client.post(path, "{"));
                expect(verb + kind, "400 bad_request", client.http().ask("POST", path, "", "{}"));
                expect(verb + kind, "400 bad_request", on(client, verb + kind, "a%20b"));
            }
        }
    }

    void goneSessions(TestGateway gateway) throws IOException {
        try (SessionClient client = SessionClient.of(gateway.httpPort())) {
            assertThat(client.delete().status()).isEqualTo(204);
            for (DocumentedOperation operation : document.operations()) {
                if (operation.hasBody()) {
                    expect(operation.id(), "410 session_gone", on(client, operation.id(), "gone"));
                }
            }
        }
    }

    /** Sends each operation on its own connection, because a refused one waits. */
    void unauthorized() throws IOException {
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

    void rateLimited() throws IOException {
        try (TestGateway gateway =
                        TestGateway.startWithHttp("--http-rate-limit-per-ip=1", "--http-rate-limit-burst=1");
                RawHttp http = RawHttp.of(gateway.httpPort())) {
            for (DocumentedOperation operation : document.operations()) {
                if (operation.responses().has("429")) {
                    // If admitted, a stream of events would have no end.
                    String path = path(operation.id(), NOBODY) + "?type=nothing";
                    Response response = first(429, () -> http.ask(operation.method(), path, "", ""));
                    expect(operation.id(), "429 rate_limited", response);
                }
            }
        }
    }

    void caps() throws IOException {
        try (TestGateway gateway = TestGateway.startWithHttp(
                        "--max-locks=2", "--max-waiters=1", "--http-max-sessions=3", "--http-max-sessions-per-ip=2");
                SessionClient holder = SessionClient.of(gateway.httpPort());
                SessionClient waiter = SessionClient.of(gateway.httpPort())) {
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
        capsOnEnqueuedClaims();
        try (TestGateway gateway = TestGateway.startWithHttp("--http-max-event-streams=1");
                RawHttp watching = RawHttp.of(gateway.httpPort());
                RawHttp http = RawHttp.of(gateway.httpPort())) {
            watching.send(RawHttp.request("GET", "/v1/events", "", ""));
            watching.awaitBytes(": flockgate");
            expect("streamEvents", "503 max_event_streams", http.get("/v1/events"));
        }
        try (TestGateway gateway = TestGateway.startWithHttp("--http-max-event-streams=4");
                RawHttp watching = RawHttp.of(gateway.httpPort());
                RawHttp http = RawHttp.of(gateway.httpPort())) {
            watching.send(RawHttp.request("GET", "/v1/events", "", ""));
            watching.awaitBytes(": flockgate");
            expect("streamEvents", "503 max_event_streams_per_ip", http.get("/v1/events"));
        }
        try (TestGateway gateway = TestGateway.startWithHttp("--http-max-sessions=1");
                SessionClient only = SessionClient.of(gateway.httpPort())) {
            expect("createSession", "503 max_sessions", only.http().ask("POST", "/v1/sessions", "", ""));
        }
    }

    private void capsOnClaims() throws IOException {
        for (String cap : List.of("max_holders", "max_holders_per_client")) {
            try (TestGateway gateway = TestGateway.startWithHttp("--" + cap.replace('_', '-') + "=1");
                    SessionClient client = SessionClient.of(gateway.httpPort())) {
                String wide = "{\"limit\":5}";
                expect("acquireSem", "200 ok", client.post(path("acquireSem", "full"), wide));
                expect("acquireSem", "503 " + cap, client.post(path("acquireSem", "full"), wide));
                expect("enqueueSem", "503 " + cap, client.post(path("enqueueSem", "full"), wide));
            }
        }
    }

    /** Ten tokens enqueue 10,000 claims each. */
    private void capsOnEnqueuedClaims() throws IOException {
        Map<String, List<String>> tokens =
                IntStream.rangeClosed(0, 10).boxed().collect(Collectors.toMap(i -> "t" + i, i -> List.of("lock:*")));
        List<LineClient> clients = new ArrayList<>();
        try (TestGateway gateway = TestGateway.startWithHttp(
                "--max-locks=20000", TokensFixture.flag(Files.createTempDirectory("tokens"), tokens))) {
            for (int i = 0; i < 10; i++) {
                clients.add(enqueueAll(gateway.client(), "t" + i));
                if (i == 0) {
                    expectFull(gateway, "t0", "max_enqueued_per_client");
                }
            }
            expectFull(gateway, "t10", "max_enqueued");
        } finally {
            for (LineClient client : clients) {
                client.close();
            }
        }
    }

    private static LineClient enqueueAll(LineClient client, String token) throws IOException {
        assertThat(client.ask("auth", "_", TokensFixture.secretOf(token))).isEqualTo("ok");
        for (int i = 0; i < 10_000; i += 500) {
            int first = i;
            client.send(IntStream.range(first, first + 500)
                    .mapToObj(n -> LineClient.frame("e", "k" + n, ""))
                    .collect(Collectors.joining()));
            for (int n = 0; n < 500; n++) {
                assertThat(client.line()).startsWith(token.equals("t0") ? "acquired" : "queued");
            }
        }
        return client;
    }

    private void expectFull(TestGateway gateway, String token, String reason) throws IOException {
        String bearer = TokensFixture.bearer(token);
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            String session = http.ask("POST", "/v1/sessions", bearer, "").member("session_id");
            String headers = bearer + SessionClient.header(session);
            expect("enqueueLock", "503 " + reason, http.ask("POST", path("enqueueLock", "more"), headers, "{}"));
            expect(
                    "enqueueSem",
                    "503 " + reason,
                    http.ask("POST", path("enqueueSem", "more"), headers, "{\"limit\":5}"));
        }
    }

    void storageFailures() throws IOException {
        try (TestGateway gateway = TestGateway.startWithHttp("--storage=faulty");
                SessionClient holder = SessionClient.of(gateway.httpPort());
                SessionClient client = SessionClient.of(gateway.httpPort())) {
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
            expect(
                    "setLimit",
                    "503 storage_unavailable",
                    client.http().ask("POST", key + "/limit?limit=2&reason=why", "", ""));
            waitsWhileTheStorageFails(gateway);
            holder.lock(FaultyStorage.FENCELESS);
            expect("deleteSession", "503 fence_persistence", holder.delete());
            client.lock(FaultyStorage.BLIND);
            expect("listKeys", "503 storage_unavailable", client.http().get("/v1/keys"));
            expect("listDeadlocks", "503 storage_unavailable", client.http().get("/v1/deadlocks"));
            expect("listGateways", "503 storage_unavailable", client.http().get("/v1/gateways"));
            expect("getStats", "503 storage_unavailable", client.http().get("/v1/stats"));
        }
    }

    /** At this key, leaving the queue fails. */
    private void waitsWhileTheStorageFails(TestGateway gateway) throws IOException {
        try (SessionClient holder = SessionClient.of(gateway.httpPort());
                SessionClient waiter = SessionClient.of(gateway.httpPort())) {
            holder.lock("clinging");
            for (String kind : KINDS) {
                expect("enqueueLock", "200 queued", waiter.enqueue("clinging"));
                expect("wait" + kind, "503 storage_unavailable", on(waiter, "wait" + kind, "clinging"));
            }
            expect("enqueueLock", "200 queued", waiter.enqueue("clinging"));
            expect("deleteSession", "503 storage_unavailable", waiter.delete());
        }
    }

    void draining() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp("--shutdown-delay=1");
                RawHttp http = RawHttp.of(gateway.httpPort())) {
            assertThat(http.get("/health").status()).isEqualTo(200);
            Future<Void> stopped = gateway.gateway().stop();
            expect("getReady", "503 draining", http.get("/ready"));
            stopped.await(LineClient.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    void overloaded() throws IOException {
        List<SessionClient> stuck = new ArrayList<>();
        // On a busy machine the first bodies would be given up before the last ones have come.
        try (TestGateway gateway = TestGateway.startWithHttp("--read-timeout=600");
                SessionClient session = SessionClient.of(gateway.httpPort())) {
            for (DocumentedOperation operation : document.operations()) {
                if (operation.hasBody()) {
                    String path = path(operation.id(), "stuck");
                    expect(operation.id(), "503 overloaded", first(503, () -> large(session, path, stuck)));
                }
            }
            expect("createSession", "503 overloaded", first(503, () -> large(session, "/v1/sessions", stuck)));
            for (SessionClient client : stuck) {
                client.close();
            }
        }
    }

    /**
     * Sends a large body. If there is memory for it, another one that does not arrive in full takes
     * up some of that memory.
     */
    private static Response large(SessionClient session, String path, List<SessionClient> stuck) throws IOException {
        try (SessionClient client = session.again()) {
            Response response = client.post(path, " ".repeat(1_000_000));
            if (response.status() != 503) {
                SessionClient holder = session.again();
                String part = " ".repeat(1_000_000);
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

    /** Repeats the request until the answer has this status, but not indefinitely. */
    private static Response first(int status, Request request) throws IOException {
        Response response = request.ask();
        for (int i = 0; i < 500 && response.status() != status; i++) {
            response = request.ask();
        }
        return response;
    }
}
