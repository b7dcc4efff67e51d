package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.LineClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Execution(ExecutionMode.CONCURRENT)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RestAuthTest {
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
}
