package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.gateway.server.TokensFixture;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What transcripts do not show of tokens: the time of a refusal, and rights that change while a
 * client is connected.
 */
@Execution(ExecutionMode.CONCURRENT)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AuthTest {
    private static final String TOKEN = "s3cret";
    private static final String BEARER = "authorization:bearer  \t" + TOKEN + "\r\n";
    private static final long SLOWED = Duration.ofMillis(80).toNanos();

    @AutoClose
    private final TestGateway gateway = TestGateway.startWithHttp("--auth-token=" + TOKEN);

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Authorization: Bearer s3cre\r\n",
                "Authorization: Bearer\ts3cret\r\n",
                "Authorization: Bearer wrong\r\nAuthorization: Bearer s3cret\r\n",
                "X-Authorization: Bearer s3cret\r\n",
            })
    @DisplayName("AuthRequired, AuthFailureSlowdown: 401 a tenth of a second later, and the connection stays")
    void anythingElseThanTheTokenIsUnauthorizedALittleLater(String headers) throws Exception {
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            for (int i = 0; i < 2; i++) {
                long asked = System.nanoTime();
                Response refused = http.ask("POST", "/v1/sessions", headers, "");
                assertThat(System.nanoTime() - asked).isGreaterThan(SLOWED);
                assertThat(refused.status()).isEqualTo(401);
                assertThat(refused.body()).isEqualTo("{\"error\":\"unauthorized\"}\n");
                assertThat(refused.header("WWW-Authenticate")).isEmpty();
            }
            assertThat(http.ask("POST", "/v1/sessions", BEARER, "").status()).isEqualTo(200);
        }
    }

    @Test
    void aRefusedTokenEndsTheConnectionATenthOfASecondLater() throws Exception {
        try (LineClient client = gateway.client()) {
            long asked = System.nanoTime();
            assertThat(client.ask("auth", "_", "wrong")).isEqualTo("error_auth");
            assertThat(client.rest()).isEmpty();
            assertThat(System.nanoTime() - asked).isGreaterThan(SLOWED);
        }
    }

    @Test
    void thoseWhoAreRefusedKeepNobodyElseWaiting() throws Exception {
        List<RawHttp> strangers = new ArrayList<>();
        try (RawHttp friend = RawHttp.of(gateway.httpPort());
                LineClient tcp = gateway.client()) {
            for (int i = 0; i < 100; i++) {
                RawHttp stranger = RawHttp.of(gateway.httpPort());
                strangers.add(stranger);
                stranger.send(RawHttp.request("GET", "/metrics", "", "").repeat(3));
            }
            long asked = System.nanoTime();
            assertThat(tcp.ask("auth", "_", TOKEN)).isEqualTo("ok");
            for (int i = 0; i < 20; i++) {
                assertThat(friend.ask("GET", "/v1/stats", BEARER, "").status()).isEqualTo(200);
            }
            assertThat(System.nanoTime() - asked)
                    .as("a hundred refusals, each a tenth of a second, one after the other would be ten seconds")
                    .isLessThan(Duration.ofSeconds(9).toNanos());
            for (RawHttp stranger : strangers) {
                assertThat(stranger.response().status()).isEqualTo(401);
            }
        } finally {
            for (RawHttp stranger : strangers) {
                stranger.close();
            }
        }
    }

    @Test
    void theBodyOfARefusedRequestIsNotTakenForTheNextRequest() throws Exception {
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            String hidden = RawHttp.request("POST", "/v1/sessions", BEARER, "");
            assertThat(http.ask("POST", "/v1/sessions", "", hidden).status()).isEqualTo(401);
            String stats = http.ask("GET", "/v1/stats", BEARER, "").body();
            assertThat(stats).startsWith("{\"connections\":");
        }
    }

    private static LineClient authenticated(TestGateway gateway, String token) throws IOException {
        LineClient client = gateway.client();
        assertThat(client.ask("auth", "_", TokensFixture.secretOf(token))).isEqualTo("ok");
        return client;
    }

    @Test
    void aConnectionHasTheRightsOfTheFileAsItIsNow(@TempDir Path directory) throws Exception {
        String flag = TokensFixture.flag(directory, Map.of("one", List.of("lock:a"), "two", List.of("lock:a")));
        try (TestGateway changing = TestGateway.start(flag);
                LineClient one = authenticated(changing, "one");
                LineClient two = authenticated(changing, "two")) {
            HeldGrant held = two.lock("a");
            assertThat(one.ask("l", "b", "0")).isEqualTo("error_auth");
            String unusedFlag = TokensFixture.flag(directory, Map.of("one", List.of("lock:b")));
            String unused = Polling.until(() -> one.ask("l", "b", "0"), answer -> !answer.equals("error_auth"));
            assertThat(one.ask("l", "a", "0")).isEqualTo("error_auth");
            assertThat(two.ask("n", held.key(), held.token())).isEqualTo("error_auth");
            assertThat(two.rest()).isEmpty();
        }
    }
}
