package io.flockgate.client.server;

import static io.flockgate.client.server.TestLeases.CLAIM;
import static io.flockgate.client.server.TestLeases.PATIENCE;
import static io.flockgate.client.server.TestLeases.assertUnavailable;
import static io.flockgate.client.server.TestLeases.withSessions;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.client.ConnectOptions;
import io.flockgate.client.Flockgate;
import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseBackend.GrantRequest;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.testsupport.Reply;
import io.flockgate.testsupport.ScriptedServer;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Answers from an intermediary between a client of the REST API and its gateway. They prove
 * nothing.
 */
@Execution(ExecutionMode.CONCURRENT)
class RestStrangePagesTest {
    private static final Duration TTL = Duration.ofSeconds(6);
    private static final GrantRequest GRANT = TestLeases.grant(TTL, PATIENCE);

    private static LeaseBackend backend(ScriptedServer server) {
        return Flockgate.backend(ConnectOptions.defaults(), List.of(server.uri()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"<html>Down for maintenance</html>", "{}", "{\"remaining_s\":-1}", "{\"remaining_s\":\"9\"}"})
    void noPageIsARenewalOrARelease(String page) throws Exception {
        try (ScriptedServer server = new ScriptedServer();
                LeaseBackend backend = backend(server)) {
            withSessions(server).on(CLAIM + "/renew", 200, page).on(CLAIM + "/release", 200, page);
            assertUnavailable(backend.renew(GRANT), true);
            assertUnavailable(backend.release(GRANT), true);
        }
    }

    @Test
    void aRefusalSaysNothingAboutAnEarlierClaimWithoutAnAnswer() throws Exception {
        try (ScriptedServer server = new ScriptedServer();
                LeaseBackend backend = backend(server)) {
            server.on("POST /v1/sessions", 200, "{\"session_id\":\"s1\",\"detached\":true}")
                    .on(CLAIM, Reply.end())
                    .on(CLAIM, 401, "{\"error\":\"unauthorized\"}")
                    .on("DELETE /v1/sessions/s1", 500, "");
            assertUnavailable(backend.acquire(TestLeases.claim(TTL, Duration.ofSeconds(60), PATIENCE)), true);
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
