package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A web page of another site cannot use a gateway through a browser. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WebPageTest {
    private static final String FLEET = "/v1/pre-reboot";

    private TestGateway gateway;

    @BeforeAll
    void start() {
        gateway = TestGateway.startWithHttp(
                "--fleetlock-groups=default",
                "--fleetlock-volatile",
                "--http-allowed-hosts=Locks.example",
                "--http-cors-allowed-origins=https://app.example");
    }

    @AfterAll
    void stop() {
        gateway.close();
    }

    private static Response ask(TestGateway server, String method, String target, String headers) throws IOException {
        try (RawHttp http = RawHttp.of(server.httpPort())) {
            http.send(method + " " + target + " HTTP/1.1\r\n" + headers + "\r\nContent-Length: 0\r\n\r\n");
            return http.response();
        }
    }

    private int status(String method, String target, String headers) throws IOException {
        return ask(gateway, method, target, headers).status();
    }

    @Test
    void aRequestWithoutAHostIsOfNoSite() throws IOException {
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            http.send("POST /v1/sessions HTTP/1.0\r\nOrigin: http://null\r\nContent-Length: 0\r\n\r\n");
            assertThat(http.response().status()).isEqualTo(403);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "evil.example",
                "localhost.evil.example",
                "10.1.2.3",
                "127.0.0.1.evil.example",
                "[::1",
                "[::1]evil.example",
                "[::1]:80@evil.example",
                "localhost:80@evil",
                "localhost:evil.example",
                "evil@localhost",
                "localhost/evil",
                "localhost:x",
                "127.0.0.1:-1",
                "",
                "[2001:db8::1]"
            })
    void anotherHostIsRefused(String host) throws IOException {
        Response refused = ask(gateway, "POST", "/v1/sessions", "Host: " + host);
        assertThat(refused.status()).isEqualTo(421);
        assertThat(refused.error()).isEqualTo("other_host");
        assertThat(status("GET", "/v1/stats", "Host: " + host)).isEqualTo(421);
        assertThat(status("GET", "/metrics", "Host: " + host)).isEqualTo(421);
        assertThat(ask(gateway, "POST", FLEET, "fleet-lock-protocol: true\r\nHost: " + host)
                        .member("kind"))
                .isEqualTo("other_host");
        assertThat(status("GET", "/ready", "Host: " + host)).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost",
                "LocalHost:6389",
                "localhost.",
                "127.0.0.1",
                "127.9.9.9:80",
                "[::1]:6389",
                "locks.example",
                "LOCKS.EXAMPLE:1"
            })
    void theNamesOfTheGatewayAreServed(String host) throws IOException {
        assertThat(status("POST", "/v1/sessions", "Host: " + host)).isEqualTo(200);
    }

    @Test
    void withATokenAnyHostWillDo() throws IOException {
        try (TestGateway guarded = TestGateway.startWithHttp("--auth-token=s3cret")) {
            String headers = "Host: proxy.example\r\nAuthorization: Bearer s3cret";
            assertThat(ask(guarded, "POST", "/v1/sessions", headers).status()).isEqualTo(200);
        }
    }

    @Test
    void aStarAllowsAnyHost() throws IOException {
        try (TestGateway open = TestGateway.startWithHttp("--http-allowed-hosts=*")) {
            assertThat(ask(open, "POST", "/v1/sessions", "Host: any.example").status())
                    .isEqualTo(200);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "Origin: https://evil.example, 403",
        "Origin: null, 403",
        "Origin: http://localhost:1, 403",
        "Sec-Fetch-Site: cross-site, 403",
        "Sec-Fetch-Site: same-site, 403",
        "Origin: http://localhost, 200",
        "Origin: https://localhost, 200",
        "Origin: https://app.example, 200",
        "'Sec-Fetch-Site: none\r\nSec-Fetch-Site: cross-site', 403",
        "Sec-Fetch-Site: same-origin, 200",
        "Sec-Fetch-Site: none, 200",
        "User-Agent: curl/8, 200",
    })
    void aChangeMustNotComeFromAnotherSite(String header, int status) throws IOException {
        assertThat(status("POST", "/v1/sessions", "Host: localhost\r\n" + header))
                .isEqualTo(status);
        assertThat(status("POST", "/v1/fleetlock/groups/default/resume", "Host: localhost\r\n" + header))
                .isEqualTo(status);
        Response fleet = ask(gateway, "POST", FLEET, "Host: localhost\r\nfleet-lock-protocol: true\r\n" + header);
        assertThat(fleet.member("kind")).isEqualTo(status == 403 ? "cross_site" : "invalid_body");
        for (String target : List.of("/v1/stats", "/v1/keys?sort=longest_hold", "/metrics", "/v1/deadlocks")) {
            assertThat(status("GET", target, "Host: localhost\r\n" + header)).isEqualTo(status);
        }
        assertThat(status("GET", "/v1/%6beys", "Host: localhost\r\n" + header)).isEqualTo(status == 403 ? 403 : 404);
        for (String target : List.of("/health", "/ready", "/v1/openapi.json", "/")) {
            assertThat(status("GET", target, "Host: localhost\r\n" + header)).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "application/x-www-form-urlencoded, 403",
        "multipart/form-data; boundary=x, 403",
        "TEXT/Plain ;charset=utf-8, 403",
        "application/json, 204",
        "application/octet-stream, 204",
    })
    void anOrderMustNotBeAForm(String type, int status) throws IOException {
        String headers = "Host: localhost\r\nContent-Type: " + type;
        Response drained = ask(gateway, "POST", "/v1/drain?reason=x", headers);
        assertThat(drained.status()).isEqualTo(status);
        assertThat(status("POST", "/v1/undrain", headers)).isEqualTo(status);
        assertThat(status("POST", "/v1/undrain", "Host: localhost\r\nX: as curl without a body"))
                .isEqualTo(204);
        assertThat(ask(gateway, "POST", "/v1/fleetlock/groups/default/resume", headers)
                                .status()
                        == 403)
                .isEqualTo(status == 403);
        assertThat(status("POST", "/v1/sessions", headers)).isEqualTo(200);
    }
}
