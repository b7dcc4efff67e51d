package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Authentication and rate limits of FleetLock. */
@Execution(ExecutionMode.CONCURRENT)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FleetLockTrustTest {
    private static final String BODY = FleetNode.body("g", "a");
    private static final String ADMIN = "/v1/fleetlock/groups";

    private TestGateway gateway;

    @BeforeAll
    void start() {
        gateway = TestGateway.startWithHttp("--fleetlock-groups=g", "--fleetlock-volatile", "--auth-token=s3:cret");
    }

    @AfterAll
    void stop() {
        gateway.close();
    }

    private static String basic(String login) {
        return "Authorization: Basic " + Base64.getEncoder().encodeToString(login.getBytes(StandardCharsets.UTF_8))
                + "\r\n";
    }

    private Response steadyState(String headers) throws IOException {
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            return http.ask("POST", "/v1/steady-state", FleetNode.HEADER + headers, BODY);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"any:s3:cret", ":s3:cret", "\u00e4:s3:cret"})
    void theTokenIsAPasswordOfAnyUser(String login) throws IOException {
        assertThat(steadyState(basic(login)).status()).isEqualTo(200);
        assertThat(steadyState(basic(login).replace("Basic", "bAsIc")).status()).isEqualTo(200);
    }

    @Test
    void theTokenMayBeABearersToo() throws IOException {
        assertThat(steadyState("Authorization: Bearer s3:cret\r\n").status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Authorization: Basic\r\n",
                "Authorization: Basic !!!\r\n",
                "Authorization: Basic czM6Y3JldA==\r\n",
                "Authorization: Bearer wrong\r\n",
                "Authorization: Bearer czM6Y3JldA==\r\n"
            })
    void anythingElseIsUnauthorizedAndSaysWhatIsWanted(String headers) throws IOException {
        Response response = steadyState(headers);
        assertThat(response.status()).isEqualTo(401);
        assertThat(response.member("kind")).isEqualTo("unauthorized");
        assertThat(response.header("WWW-Authenticate"))
                .hasValueSatisfying(value -> assertThat(value).startsWith("Basic realm="));
    }

    @Test
    void theHeaderIsAskedForBeforeTheToken() throws IOException {
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            assertThat(http.ask("POST", "/v1/pre-reboot", "", BODY).member("kind"))
                    .isEqualTo("missing_protocol_header");
            assertThat(http.ask("GET", "/v1/pre-reboot", "", "").member("kind")).isEqualTo("method_not_allowed");
            assertThat(http.ask("POST", "/v1/pre-reboot", FleetNode.HEADER, "x").member("kind"))
                    .isEqualTo("unauthorized");
        }
    }

    @Test
    void operatorsShowTheTokenAsBearersOnly() throws IOException {
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            assertThat(http.ask("GET", ADMIN, "Authorization: Bearer s3:cret\r\n", "")
                            .status())
                    .isEqualTo(200);
            assertThat(http.ask("GET", ADMIN, basic("any:s3:cret"), "").status())
                    .isEqualTo(401);
            assertThat(http.ask("DELETE", ADMIN + "/g/holders/a?reason=x", basic("any:s3:cret"), "")
                            .status())
                    .isEqualTo(401);
        }
    }

    @Test
    void tooManyRequestsAreAnsweredInTheSameForm() throws IOException {
        try (TestGateway limited = TestGateway.startWithHttp(
                        "--fleetlock-groups=g",
                        "--fleetlock-volatile",
                        "--http-rate-limit-per-ip=1",
                        "--http-rate-limit-burst=1");
                RawHttp http = RawHttp.of(limited.httpPort())) {
            Response response = http.ask("POST", "/v1/steady-state", FleetNode.HEADER, BODY);
            for (int i = 0; i < 50 && response.status() == 200; i++) {
                response = http.ask("POST", "/v1/steady-state", FleetNode.HEADER, BODY);
            }
            assertThat(response.status()).isEqualTo(429);
            assertThat(response.member("kind")).isEqualTo("rate_limited");
        }
    }
}
