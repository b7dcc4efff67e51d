package io.flockgate.client.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.client.ConnectOptions;
import io.flockgate.client.Flockgate;
import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseBackend.AcquireRequest;
import io.flockgate.client.LeaseBackend.GrantRequest;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseUnavailableException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers of something between a client of the REST API and its gateway. They prove nothing. */
@Execution(ExecutionMode.CONCURRENT)
class RestStrangePagesTest {
    private static final String CLAIM = "POST /v1/locks/job";
    private static final Duration TTL = Duration.ofSeconds(6);
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final GrantRequest GRANT =
            new GrantRequest("job", 1, "me", "18a6c3f2b91d40075d2e8f60a4b7c913", TTL, PATIENCE);

    private static void assertUnknown(CompletionStage<?> stage) {
        assertThatThrownBy(() -> stage.toCompletableFuture().get(60, TimeUnit.SECONDS))
                .cause()
                .isInstanceOfSatisfying(
                        LeaseUnavailableException.class,
                        failure -> assertThat(failure.mayHold()).isTrue());
    }

    private static LeaseBackend backend(ScriptedServer server) {
        return Flockgate.backend(ConnectOptions.defaults(), List.of(server.uri()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"<html>Down for maintenance</html>", "{}", "{\"remaining_s\":-1}", "{\"remaining_s\":\"9\"}"})
    void noPageIsARenewalOrARelease(String page) throws Exception {
        try (ScriptedServer server = new ScriptedServer();
                LeaseBackend backend = backend(server)) {
            server.withSessions().on(CLAIM + "/renew", 200, page).on(CLAIM + "/release", 200, page);
            assertUnknown(backend.renew(GRANT));
            assertUnknown(backend.release(GRANT));
        }
    }

    @Test
    void aRefusalSaysNothingAboutAnEarlierClaimWithoutAnAnswer() throws Exception {
        try (ScriptedServer server = new ScriptedServer();
                LeaseBackend backend = backend(server)) {
            server.on("POST /v1/sessions", 200, "{\"session_id\":\"s1\",\"detached\":true}")
                    .on(CLAIM, 0, "")
                    .on(CLAIM, 401, "{\"error\":\"unauthorized\"}")
                    .on("DELETE /v1/sessions/s1", 500, "");
            assertUnknown(backend.acquire(new AcquireRequest(
                    "job", 1, "me", TTL, Duration.ofSeconds(60), PATIENCE, new CompletableFuture<>())));
        }
    }

    @Test
    void aTokenThatIsNoHeaderIsRefusedWithoutBeingShown() {
        ConnectOptions options = ConnectOptions.defaults().authToken("s3cret€token");
        List<URI> server = List.of(URI.create("http://127.0.0.1:1"));
        assertThatThrownBy(() -> Flockgate.connect(options, server))
                .isInstanceOf(LeaseConfigException.class)
                .hasMessageNotContaining("s3cret");
    }
}
