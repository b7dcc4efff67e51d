package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.gateway.server.FaultyStorage;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The answers to REST clients while the storage fails. */
@Execution(ExecutionMode.CONCURRENT)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RestStorageFailureTest {
    private static final String TOKEN = "{\"token\":\"0123456789abcdef0123456789abcdef\"}";

    private TestGateway gateway;

    @BeforeAll
    void start() {
        gateway = TestGateway.startWithHttp("--storage=faulty");
    }

    @AfterAll
    void stop() {
        gateway.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {FaultyStorage.THROWS, FaultyStorage.NOT_DONE, FaultyStorage.UNKNOWN})
    void everyRequestIsAnsweredAndTheSessionGoesOn(String key) throws Exception {
        try (SessionClient client = SessionClient.of(gateway.httpPort())) {
            String path = "/v1/locks/" + key;
            expectStorageFailure(client.post(path, "{}"));
            expectStorageFailure(client.post(path, "{\"acquire_timeout_s\":9}"));
            expectStorageFailure(client.post(path + "/enqueue", "{}"));
            expectStorageFailure(client.post(path + "/release", TOKEN));
            expectStorageFailure(client.post(path + "/renew", TOKEN));
            expectStorageFailure(client.post("/v1/semaphores/" + key, "{\"limit\":2}"));
            assertThat(client.post(path + "/wait", "{\"timeout_s\":9}").status())
                    .isEqualTo(409);
            client.release("fine-" + key, client.lock("fine-" + key));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {FaultyStorage.THROWS, FaultyStorage.NOT_DONE})
    void aKeyThatCannotBeShownIsUnavailable(String key) throws Exception {
        try (SessionClient client = SessionClient.of(gateway.httpPort())) {
            expectStorageFailure(client.http().get("/v1/keys/" + key));
        }
    }

    private static void expectStorageFailure(Response response) {
        assertThat(response.status()).as("%s", response).isEqualTo(503);
        assertThat(response.error()).isEqualTo("storage_unavailable");
        assertThat(response.body()).doesNotContain("Exception", "broken");
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
        try (TestGateway faulty = TestGateway.startWithHttp("--storage=faulty");
                SessionClient client = SessionClient.of(faulty.httpPort())) {
            client.lock(key);
            for (String path : List.of("/v1/stats", "/v1/keys", "/v1/gateways")) {
                expectStorageFailure(client.http().get(path));
            }
            assertThat(client.http().get("/health").status()).isEqualTo(200);
        }
    }
}
