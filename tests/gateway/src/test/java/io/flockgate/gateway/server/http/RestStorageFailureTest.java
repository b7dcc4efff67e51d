package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.gateway.server.FaultyStorage;
import io.flockgate.gateway.server.http.ApiDocument.DocumentedOperation;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The answers to REST clients while the storage fails. */
@Execution(ExecutionMode.CONCURRENT)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RestStorageFailureTest {
    private static final String TOKEN = "{\"token\":\"0123456789abcdef0123456789abcdef\"}";

    private final ApiDocument document;
    private TestGateway gateway;

    RestStorageFailureTest() throws IOException {
        document = ApiDocument.published();
    }

    @BeforeAll
    void start() {
        gateway = TestGateway.startWithHttp("--storage=faulty");
    }

    @AfterAll
    void stop() {
        gateway.close();
    }

    private void expectStorageFailure(String operation, Response response) throws IOException {
        assertThat(document.expect(operation, response)).isEqualTo("503 storage_unavailable");
        assertThat(response.body()).doesNotContain("Exception", "broken");
    }

    @ParameterizedTest
    @ValueSource(strings = {FaultyStorage.THROWS, FaultyStorage.NOT_DONE, FaultyStorage.UNKNOWN})
    void everyRequestIsAnsweredAndTheSessionGoesOn(String key) throws Exception {
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
        "getKey, GET, " + FaultyStorage.THROWS,
        "getKey, GET, " + FaultyStorage.NOT_DONE,
        "evictHolder, DELETE, " + FaultyStorage.THROWS + "/holders/0000000000000001?reason=why",
        "removeWaiter, DELETE, " + FaultyStorage.THROWS + "/queue/1?reason=why",
        "setLimit, POST, " + FaultyStorage.THROWS + "/limit?limit=2&reason=why",
        "evictHolder, DELETE, " + FaultyStorage.NOT_DONE + "/holders/0000000000000001?reason=why",
        "removeWaiter, DELETE, " + FaultyStorage.NOT_DONE + "/queue/1?reason=why",
        "setLimit, POST, " + FaultyStorage.NOT_DONE + "/limit?limit=2&reason=why",
    })
    void aKeyThatCannotBeShownOrChangedIsUnavailable(String operation, String method, String target) throws Exception {
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            expectStorageFailure(operation, http.ask(method, "/v1/keys/" + target, "", ""));
        }
    }

    @Test
    void aPlaceThatCannotBeGivenUpFailsTheWaitAndTheDeletion() throws Exception {
        try (SessionClient holder = SessionClient.of(gateway.httpPort());
                SessionClient waiter = SessionClient.of(gateway.httpPort())) {
            holder.lock("clinging");
            for (String kind : new String[] {"Lock", "Sem"}) {
                assertThat(waiter.enqueue("clinging").outcome()).isEqualTo("queued");
                String path = document.operation("wait" + kind).path().replace("{key}", "clinging");
                expectStorageFailure("wait" + kind, waiter.post(path, "{}"));
            }
            assertThat(waiter.enqueue("clinging").outcome()).isEqualTo("queued");
            expectStorageFailure("deleteSession", waiter.delete());
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
                SessionClient client = SessionClient.of(faulty.httpPort())) {
            client.lock(key);
            for (Map.Entry<String, String> report : reports.entrySet()) {
                expectStorageFailure(report.getKey(), client.http().get(report.getValue()));
            }
            assertThat(client.http().get("/health").status()).isEqualTo(200);
        }
    }
}
