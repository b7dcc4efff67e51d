package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.gateway.limits.Budget;
import io.flockgate.gateway.server.FaultyStorage;
import io.flockgate.gateway.server.http.ApiDocument.DocumentedOperation;
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The answers to clients of all protocols while the storage fails. */
@Execution(ExecutionMode.CONCURRENT)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StorageFailureTest {
    private static final String SOME_TOKEN = "0123456789abcdef0123456789abcdef";
    private static final String TOKEN = "{\"token\":\"" + SOME_TOKEN + "\"}";
    private static final String PING = LineClient.frame("ping", "_", "_");

    private final ApiDocument document = ApiDocument.published();

    @AutoClose
    private final TestGateway gateway =
            TestGateway.startWithHttp("--storage=faulty", "--fleetlock-groups=well,unavailable,closed,silent,failing");

    private void expectStorageFailure(String operation, Response response) throws IOException {
        assertThat(document.expect(operation, response)).isEqualTo("503 storage_unavailable");
        assertThat(response.body()).doesNotContain("Exception", "broken", "no answer");
    }

    /** An error between two answers. */
    private static void expectError(LineClient client, String command, String key, String argument) throws IOException {
        client.send(PING + LineClient.frame(command, key, argument) + PING);
        assertThat(client.line()).isEqualTo("ok");
        assertThat(client.line()).isEqualTo("error");
        assertThat(client.line()).isEqualTo("ok");
    }

    @ParameterizedTest
    @ValueSource(strings = {FaultyStorage.THROWS, FaultyStorage.NOT_DONE, FaultyStorage.UNKNOWN})
    @DisplayName(
            "RecoversHandlerPanic, and failures that are told: an error for each request, and the connection goes on")
    void everyRequestGetsAnErrorAndTheConnectionGoesOn(String key) throws Exception {
        try (LineClient client = gateway.client()) {
            expectError(client, "l", key, "0");
            expectError(client, "l", key, "9");
            expectError(client, "e", key, "");
            expectError(client, "sl", key, "9 2");
            expectError(client, "se", key, "2");
            expectError(client, "r", key, SOME_TOKEN);
            expectError(client, "sr", key, SOME_TOKEN);
            expectError(client, "n", key, SOME_TOKEN);
            assertThat(client.ask("w", key, "9")).isEqualTo("error_not_enqueued");
            client.release(client.lock("fine-" + key));
        }
    }

    @Test
    void whatIsSentFarAheadOfASlowAnswerIsReadAfterIt() throws Exception {
        int pings = 2_000;
        try (TestGateway small = TestGateway.start(new Budget(128 << 10), "--storage=faulty");
                LineClient client = small.client()) {
            client.send(LineClient.frame("l", FaultyStorage.COUNTED + "ahead", "0")
                    + LineClient.frame("ping", "_".repeat(250), "_").repeat(pings));
            assertThat(client.line()).startsWith("ok ");
            for (int i = 0; i < pings; i++) {
                assertThat(client.line()).isEqualTo("ok");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {FaultyStorage.THROWS, FaultyStorage.NOT_DONE, FaultyStorage.UNKNOWN})
    void everyRequestOfASessionIsAnsweredAndTheSessionGoesOn(String key) throws Exception {
        try (SessionClient client = SessionClient.of(gateway.httpPort())) {
            for (DocumentedOperation operation : document.operations()) {
                if (operation.hasBody()) {
                    Response answer = client.post(operation.path().replace("{key}", key), body(operation.id()));
                    if (operation.id().startsWith("wait")) {
                        assertThat(document.expect(operation.id(), answer)).isEqualTo("409 not_enqueued");
                    } else {
                        expectStorageFailure(operation.id(), answer);
                    }
                }
            }
            expectStorageFailure("acquireLock", client.lock(key, "{\"acquire_timeout_s\":9}"));
            client.release("fine-" + key, client.lock("fine-" + key));
        }
    }

    private static String body(String operation) {
        return switch (operation) {
            case "releaseLock", "releaseSem", "renewLock", "renewSem" -> TOKEN;
            case "acquireSem", "enqueueSem" -> "{\"limit\":2}";
            default -> "{}";
        };
    }

    @ParameterizedTest
    @CsvSource({
        "getKey, GET, ''",
        "evictHolder, DELETE, /holders/0000000000000001?reason=why",
        "removeWaiter, DELETE, /queue/1?reason=why",
        "setLimit, POST, /limit?limit=2&reason=why",
    })
    void aKeyThatCannotBeShownOrChangedIsUnavailable(String operation, String method, String target) throws Exception {
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            for (String key : List.of(FaultyStorage.THROWS, FaultyStorage.NOT_DONE)) {
                expectStorageFailure(operation, http.ask(method, "/v1/keys/" + key + target, "", ""));
            }
        }
    }

    @Test
    void aPlaceThatCannotBeLeftEndsInAnErrorNotInAHang() throws Exception {
        String key = FaultyStorage.CLINGING;
        try (TestGateway faulty = TestGateway.startWithHttp("--storage=faulty");
                LineClient holder = faulty.client();
                LineClient waiter = faulty.client();
                LineClient vanished = faulty.client();
                SessionClient session = SessionClient.of(faulty.httpPort())) {
            holder.lock(key);
            expectError(waiter, "l", key, "1");
            assertThat(waiter.ask("e", key, "")).isEqualTo("queued");
            expectError(waiter, "w", key, "1");
            for (String kind : List.of("Lock", "Sem")) {
                assertThat(session.enqueue(key).outcome()).isEqualTo("queued");
                String path = document.operation("wait" + kind).path().replace("{key}", key);
                expectStorageFailure("wait" + kind, session.post(path, "{}"));
            }
            assertThat(session.enqueue(key).outcome()).isEqualTo("queued");
            expectStorageFailure("deleteSession", session.delete());
            vanished.queueUp(key, holder, 6);
            vanished.close();
            holder.awaitStats("\"connections\":2,");
        }
    }

    @Test
    void aReleaseThatFindsNoFenceHasACodeOfItsOwn() throws Exception {
        try (SessionClient client = SessionClient.of(gateway.httpPort())) {
            client.lock(FaultyStorage.FENCELESS);
            Response response = client.post("/v1/locks/" + FaultyStorage.FENCELESS + "/release", TOKEN);
            assertThat(response.status()).isEqualTo(503);
            assertThat(response.error()).isEqualTo("fence_persistence");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {FaultyStorage.BLIND, FaultyStorage.BLINDING})
    void statisticsThatCannotBeHadAreUnavailable(String key) throws Exception {
        Map<String, String> reports = Map.of(
                "getStats", "/v1/stats",
                "listKeys", "/v1/keys?sort=longest_hold",
                "listDeadlocks", "/v1/deadlocks",
                "listGateways", "/v1/gateways");
        try (TestGateway faulty = TestGateway.startWithHttp("--storage=faulty");
                LineClient line = faulty.client();
                RawHttp http = RawHttp.of(faulty.httpPort())) {
            line.lock(key);
            expectError(line, "stats", "_", "_");
            for (Map.Entry<String, String> report : reports.entrySet()) {
                expectStorageFailure(report.getKey(), http.get(report.getValue()));
            }
            assertThat(http.get("/metrics").body())
                    .contains("\ndflockd_locks_held NaN\n", "\nflockgate_storage_readable 0.0\n", "\ndflockd_ready 1");
        }
    }

    private Response fleetLock(String path, String group) throws IOException {
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            return http.ask("POST", path, FleetNode.HEADER, FleetNode.body(group, "a"));
        }
    }

    @ParameterizedTest
    @CsvSource({"unavailable, 503, backend_unavailable", "closed, 503, shutting_down", "failing, 500, internal_error"})
    void aFailureIsReportedWithoutItsDetails(String group, int status, String kind) throws IOException {
        for (String path : new String[] {"/v1/pre-reboot", "/v1/steady-state"}) {
            Response response = fleetLock(path, group);
            assertThat(response.status()).isEqualTo(status);
            assertThat(response.member("kind")).isEqualTo(kind);
            assertThat(response.member("value")).isNotBlank();
            assertThat(response.body()).doesNotContain("s3cret");
        }
        assertThat(fleetLock("/v1/steady-state", "well").status()).isEqualTo(200);
    }

    @Test
    void aSilentStorageIsAnsweredForWithinFiveSeconds() throws IOException {
        long begun = System.nanoTime();
        Response response = fleetLock("/v1/pre-reboot", "silent");
        assertThat(response.member("kind")).isEqualTo("backend_unavailable");
        // Far below the half hour for which clients wait, with room for a busy machine.
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(9));
    }

    @Test
    void operatorsSeeThatTheStorageIsAwayAndMetricsLackWhatCouldNotBeRead() throws IOException {
        String groups = "/v1/fleetlock/groups";
        String group = groups + "/unavailable";
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            for (String request : List.of(
                    "GET " + group,
                    "GET " + groups,
                    "POST " + group + "/pause?reason=why",
                    "POST " + group + "/resume",
                    "DELETE " + group + "/holders/a?reason=why")) {
                String[] parts = request.split(" ", 2);
                Response answer = http.ask(parts[0], parts[1], "", "");
                assertThat(answer.error()).as(request).isEqualTo("storage_unavailable");
                document.check(parts[0], parts[1], answer);
            }
            assertThat(fleetLock("/v1/pre-reboot", "unavailable").status()).isEqualTo(503);
            assertThat(http.get("/metrics").body())
                    .contains("flockgate_fleetlock_held{group=\"unavailable\"} NaN")
                    .contains("flockgate_fleetlock_held{group=\"failing\"} NaN")
                    .contains("flockgate_fleetlock_held{group=\"well\"} 0.0")
                    .containsPattern("flockgate_fleetlock_backend_errors_total [1-9]");
        }
    }

    @Tag("process")
    @Test
    void theLogNamesTheFailureOnceASecondWithoutAStackTrace() throws Exception {
        try (GatewayProcess server =
                GatewayLauncher.ofJarAndTestClasses("--storage=faulty").start()) {
            try (LineClient client = server.client()) {
                for (int i = 0; i < 30; i++) {
                    assertThat(client.ask("l", FaultyStorage.UNKNOWN, "0")).isEqualTo("error");
                }
                assertThat(client.ask("n", FaultyStorage.THROWS, SOME_TOKEN)).isEqualTo("error");
            }
            assertThat(server.stop()).isZero();
            assertThat(server.err())
                    .containsPattern("level=WARN msg=\"storage failed\" err=.* effect=unknown")
                    .containsPattern("level=ERROR msg=\"request failed\" conn=1 err=\"java.lang.IllegalStateException")
                    .doesNotContain("\tat ", SOME_TOKEN);
            assertThat(server.err().split("storage failed", -1)).hasSizeLessThan(10);
        }
    }
}
