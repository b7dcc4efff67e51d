package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.gateway.server.TokensFixture;
import io.flockgate.gateway.server.http.ApiDocument.DocumentedOperation;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Every token at every operation of the OpenAPI document and every key. A new route fails here
 * until the matrix contains it.
 */
@Execution(ExecutionMode.CONCURRENT)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RightsMatrixTest {
    private static final String NOBODY = "0123456789abcdef0123456789abcdef";

    /** Needs no token. */
    private static final String OPEN = "open";

    /** Needs a token, whatever its rights. The owner of the session is checked elsewhere. */
    private static final String ANY = "any";

    private static final String SOME_LOCK = "some lock";
    private static final String LOCK = "lock";
    private static final String SOME_READ = "some read";
    private static final String READ = "read";
    private static final String METRICS = "metrics";
    private static final String OPERATE = "operate";

    /** What each operation needs. */
    private static final Map<String, String> NEEDS = needs();

    /** The allowed tokens, by need and key. */
    private static final Map<String, Set<String>> MAY = Map.ofEntries(
            Map.entry(SOME_LOCK, Set.of("locker", "exact")),
            Map.entry(LOCK + " ci/job", Set.of("locker", "exact")),
            Map.entry(LOCK + " ci/job2", Set.of("locker")),
            Map.entry(LOCK + " prod/db", Set.of()),
            Map.entry(SOME_READ, Set.of("reader", "ci-reader")),
            Map.entry(READ + " ci/job", Set.of("reader", "ci-reader")),
            Map.entry(READ + " ci/job2", Set.of("reader", "ci-reader")),
            Map.entry(READ + " prod/db", Set.of("reader")),
            Map.entry(METRICS, Set.of("scraper")),
            Map.entry(OPERATE, Set.of("operator")));

    private static final List<String> KEYS = List.of("ci/job", "ci/job2", "prod/db");
    private static final Set<String> MASTERS = Set.of("everything", "auth-token");

    private TestGateway gateway;

    private static Map<String, String> needs() {
        Map<String, String> needs = new TreeMap<>();
        Stream.of("getHealth", "getReady", "getOpenAPI").forEach(id -> needs.put(id, OPEN));
        Stream.of("deleteSession", "pingSession").forEach(id -> needs.put(id, ANY));
        Stream.of("getStats", "listKeys", "listDeadlocks", "listGateways", "streamEvents")
                .forEach(id -> needs.put(id, SOME_READ));
        Stream.of("evictHolder", "removeWaiter", "setLimit", "drain", "undrain").forEach(id -> needs.put(id, OPERATE));
        Stream.of("listGroups", "getGroup", "removeHolder", "pauseGroup", "resumeGroup")
                .forEach(id -> needs.put(id, OPERATE));
        Stream.of("acquire", "release", "renew", "enqueue", "wait")
                .flatMap(verb -> Stream.of(verb + "Lock", verb + "Sem"))
                .forEach(id -> needs.put(id, LOCK));
        needs.put("createSession", SOME_LOCK);
        needs.put("getKey", READ);
        needs.put("getMetrics", METRICS);
        return needs;
    }

    /** One request, and whether it must pass. */
    private record Attempt(String token, String method, String path, String headers, String body, boolean passes) {}

    @BeforeAll
    void start(@TempDir Path directory) throws IOException {
        gateway = TestGateway.startWithHttp(
                "--auth-token=" + TokensFixture.secretOf("auth-token"),
                TokensFixture.flag(directory, TokensFixture.EACH_RIGHT),
                "--fleetlock-groups=a",
                "--fleetlock-volatile");
    }

    @AfterAll
    void stop() {
        gateway.close();
    }

    private static List<String> tokens() {
        return Stream.concat(TokensFixture.EACH_RIGHT.keySet().stream(), Stream.of("auth-token"))
                .toList();
    }

    @Test
    void everyOperationIsInTheMatrix() throws Exception {
        assertThat(ApiDocument.published().operations())
                .extracting(DocumentedOperation::id)
                .containsExactlyInAnyOrderElementsOf(NEEDS.keySet());
    }

    @Test
    void eachTokenMayDoWhatItsRightsSayAndNothingElse() throws Exception {
        for (String token : tokens()) {
            try (RawHttp http = RawHttp.of(gateway.httpPort())) {
                for (DocumentedOperation operation : ApiDocument.published().operations()) {
                    for (Attempt attempt : attempts(token, operation)) {
                        Response response =
                                http.ask(attempt.method(), attempt.path(), attempt.headers(), attempt.body());
                        expect(operation, response, attempt);
                    }
                }
            }
        }
    }

    private static void expect(DocumentedOperation operation, Response response, Attempt attempt) throws IOException {
        if (attempt.passes()) {
            assertThat(response.status()).as("%s: %s", attempt, response).isNotIn(401, 403);
        } else {
            assertThat(response.status()).as("%s: %s", attempt, response).isEqualTo(403);
            assertThat(response.body())
                    .isEqualTo("{\"error\":\"forbidden\",\"detail\":\"the token has no right to do that\"}\n");
            assertThat(ApiDocument.published().expect(operation.id(), response)).isEqualTo("403 forbidden");
        }
    }

    /**
     * An operation on each key, if it has keys. A prefix of the key's name must not suffice, so the
     * slash is part of the name.
     */
    private static List<Attempt> attempts(String token, DocumentedOperation operation) {
        String need = NEEDS.getOrDefault(operation.id(), "");
        if (!operation.path().contains("{key}")) {
            String path =
                    operation.path().replace("{group}", "a").replaceAll("\\{[a-z]+}", NOBODY) + endless(operation);
            return List.of(attempt(token, operation, path, may(token, need, need)));
        }
        return KEYS.stream()
                .map(key -> attempt(
                        token,
                        operation,
                        operation
                                .path()
                                .replace("{key}", key.replace("/", "%2F"))
                                .replaceAll("\\{[a-z]+}", NOBODY),
                        may(token, need, need.equals(OPERATE) ? need : need + " " + key)))
                .toList();
    }

    /** A query with an unknown event type, without which a stream of events would have no end. */
    private static String endless(DocumentedOperation operation) {
        return operation.id().equals("streamEvents") ? "?type=nothing" : "";
    }

    private static boolean may(String token, String need, String object) {
        return need.equals(OPEN)
                || need.equals(ANY)
                || MASTERS.contains(token)
                || MAY.getOrDefault(object, Set.of()).contains(token);
    }

    private static Attempt attempt(String token, DocumentedOperation operation, String path, boolean passes) {
        String headers = TokensFixture.bearer(token) + "X-Dflockd-Session: " + NOBODY + "\r\n";
        return new Attempt(token, operation.method(), path, headers, "", passes);
    }

    @Test
    void withoutAKnownTokenNothingButTheOpenPathsAnswers() throws Exception {
        List<RawHttp> asked = new ArrayList<>();
        List<Attempt> attempts = new ArrayList<>();
        ApiDocument document = ApiDocument.published();
        for (String token : new String[] {"", TokensFixture.bearer("nobody")}) {
            for (DocumentedOperation operation : document.operations()) {
                String path = operation.path().replaceAll("\\{[a-z]+}", "ci") + endless(operation);
                boolean open = OPEN.equals(NEEDS.get(operation.id()));
                attempts.add(new Attempt(token, operation.method(), path, token, "", open));
            }
        }
        for (Attempt attempt : attempts) {
            RawHttp http = RawHttp.of(gateway.httpPort());
            asked.add(http);
            http.send(RawHttp.request(attempt.method(), attempt.path(), attempt.headers(), attempt.body()));
        }
        for (int i = 0; i < asked.size(); i++) {
            Attempt attempt = attempts.get(i);
            Response response = asked.get(i).response();
            assertThat(response.status()).as("%s", attempt).isEqualTo(attempt.passes() ? 200 : 401);
            document.check(attempt.method(), attempt.path(), response);
            asked.get(i).close();
        }
    }

    @Test
    void aTokenSeesTheDeadlocksAllOfWhoseKeysItMayRead() throws Exception {
        List<LineClient> clients = new ArrayList<>();
        try {
            for (String held : List.of("ci/ring-0", "ci/ring-1", "ci/half", "prod/half")) {
                LineClient client = gateway.client();
                clients.add(client);
                assertThat(client.ask("auth", "_", TokensFixture.secretOf("everything")))
                        .isEqualTo("ok");
                client.lock(held, 0, 600);
            }
            List<String> wanted = List.of("ci/ring-1", "ci/ring-0", "prod/half", "ci/half");
            for (int i = 0; i < wanted.size(); i++) {
                assertThat(clients.get(i).ask("e", wanted.get(i), "600")).isEqualTo("queued");
            }
            Map<String, Integer> seen = Map.of("everything", 2, "reader", 2, "ci-reader", 1);
            for (Map.Entry<String, Integer> token : seen.entrySet()) {
                try (RawHttp http = RawHttp.of(gateway.httpPort())) {
                    Response found = http.ask("GET", "/v1/deadlocks", TokensFixture.bearer(token.getKey()), "");
                    assertThat(found.body()).as("%s", token).startsWith("{\"count\":" + token.getValue() + ",");
                }
            }
        } finally {
            for (LineClient client : clients) {
                client.close();
            }
        }
    }
}
