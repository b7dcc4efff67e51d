package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Paths and methods are matched as they were sent, segment by segment. */
@Execution(ExecutionMode.CONCURRENT)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PathTest {
    private TestGateway gateway;

    @BeforeAll
    void start() {
        gateway = TestGateway.startWithHttp();
    }

    @AfterAll
    void stop() {
        gateway.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1/locks/%2E%2E/sessions",
                "/v1/locks/%2e%2e/%2e%2e/v1/sessions",
                "/v1/%2E/sessions",
                "/v1/sessions/",
                "/v1/sessions/.%2E",
                "/v1/sessions%2F",
                "/v1/sessions;x",
                "/v1/Sessions",
                "/%2Fv1/sessions",
                "/v1\\sessions",
                "/v1/sessions%00",
                "/v1/sessions%20",
            })
    void noOtherPathCreatesASession(String path) throws Exception {
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            Response response = http.ask("POST", path, "", "");
            assertThat(response.status()).as("%s", response).isIn(404, 405, 400);
            assertThat(response.body()).doesNotContain("session_id");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "/v1/locks/../sessions, /v1/sessions",
        "/../v1/sessions, /v1/sessions",
        "/v1//sessions, /v1/sessions",
        "//v1/sessions, /v1/sessions",
        "/v1/./sessions, /v1/sessions",
        "/v1/locks//job/release, /v1/locks/job/release",
        "/v1/sessions/../locks/a%2Fb, /v1/locks/a%2Fb",
    })
    void whatIsNotCleanIsNeverServedButSentOn(String path, String clean) throws Exception {
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            Response response = http.ask("POST", path, "", "");
            assertThat(response.status()).as("%s", response).isEqualTo(307);
            assertThat(response.header("Location")).contains(clean);
            assertThat(response.body()).isEmpty();
        }
    }

    @Test
    void aRedirectKeepsTheQueryAndNeverLeadsToAnotherHost() throws Exception {
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            assertThat(http.get("/v1//stats?a=b").header("Location")).contains("/v1/stats?a=b");
            for (String path : new String[] {"//evil.example/..//health", "///health", "/\\evil.example/../health"}) {
                Response response = http.get(path);
                if (response.status() == 307) {
                    assertThat(response.header("Location").orElseThrow()).matches("/[a-z].*");
                } else {
                    assertThat(response.status()).isEqualTo(404);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "POST", "PUT"})
    @DisplayName("MethodNotAllowedOnPostOnlyRoute, and 404, are ours to the byte")
    void errorsOfTheRouterAreJson(String method) throws Exception {
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            Response missing = http.ask(method, "/nothing", "", "");
            assertThat(missing.status()).isEqualTo(404);
            assertThat(missing.body()).isEqualTo("{\"error\":\"not_found\"}\n");
            Response refused = http.ask(method.equals("POST") ? "DELETE" : method, "/v1/locks/job", "", "");
            assertThat(refused.status()).isEqualTo(405);
            assertThat(refused.body()).isEqualTo("{\"error\":\"method_not_allowed\"}\n");
            assertThat(refused.header("Allow")).contains("POST");
        }
    }

    /**
     * The router would refuse each of these before any route, without waiting for a later answer.
     */
    @ParameterizedTest
    @ValueSource(strings = {"localhost:99999", "localhost:", "[::1]:99999"})
    void aHostWithAnOddPortIsAnsweredOnceWhenTheAnswerTakesItsTime(String host) throws Exception {
        String key = "odd-" + Integer.toHexString(host.hashCode());
        String odd = "HTTP/1.1\r\nHost: " + host + "\r\n";
        try (SessionClient client = SessionClient.of(gateway.httpPort());
                LineClient holder = gateway.client()) {
            client.http().send("GET /v1/keys " + odd + "\r\n");
            assertThat(client.http().response().body()).startsWith("{\"keys\":[");
            HeldGrant held = holder.lock(key);
            client.http()
                    .send("POST /v1/locks/" + key + " " + odd + client.header()
                            + "Content-Length: 25\r\n\r\n{\"acquire_timeout_s\":600}");
            holder.awaitWaiters(key, 1);
            holder.release(held);
            assertThat(SessionClient.granted(client.answer())).isNotEmpty();
            assertThat(client.delete().status()).isEqualTo(204);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/health", "/ready", "/metrics", "/v1/openapi.json", "/v1/stats", "/v1/keys"})
    void headIsGetWithoutTheBody(String path) throws Exception {
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            Response get = http.get(path);
            Response head = http.ask("HEAD", path, "", "");
            assertThat(head.status()).isEqualTo(200).isEqualTo(get.status());
            assertThat(head.header("Content-Type")).isEqualTo(get.header("Content-Type"));
            assertThat(head.header("Content-Length")).isPresent();
            assertThat(http.get("/health").body()).isEqualTo("{\"status\":\"ok\"}\n");
        }
    }

    @Test
    void keysAreBytesWhateverThePathMakesOfThem() throws Exception {
        try (SessionClient client = SessionClient.of(gateway.httpPort());
                LineClient tcp = gateway.client()) {
            for (int i = 1; i < 256; i++) {
                if (i == ' ' || i == '\t' || i == '\n' || i == '\r') {
                    continue;
                }
                String key = "byte-%%%02X".formatted(i);
                String token = client.lock(key);
                assertThat(client.lock(key.toLowerCase(Locale.ROOT), "{}").outcome())
                        .isEqualTo("timeout");
                assertThat(tcp.ask("l", "byte-" + (char) i, "0")).isEqualTo("timeout");
                assertThat(tcp.ask("r", "byte-" + (char) i, token)).isEqualTo("ok");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"%", "%4", "%zz", "a%", "%u0041", "%-1", "%+1", "% 1"})
    void malformedPercentEncodingIsABadRequest(String key) throws Exception {
        try (SessionClient client = SessionClient.of(gateway.httpPort())) {
            client.begin("/v1/locks/" + key, "{}");
            assertThat(client.http().lastResponse().status()).isEqualTo(400);
        }
    }
}
