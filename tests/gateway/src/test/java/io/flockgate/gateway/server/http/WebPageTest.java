package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A web page of another site cannot use a gateway through a browser. OriginCheckTest has the rules.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WebPageTest {
    private static final String FLEET = "/v1/pre-reboot";

    @AutoClose
    private final TestGateway gateway = TestGateway.startWithHttp(
            "--fleetlock-groups=default",
            "--fleetlock-volatile",
            "--http-allowed-hosts=Locks.example",
            "--http-cors-allowed-origins=https://app.example");

    private Response ask(String method, String target, String headers) throws IOException {
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            http.send(method + " " + target + " HTTP/1.1\r\n" + headers + "\r\nContent-Length: 0\r\n\r\n");
            return http.response();
        }
    }

    private int status(String method, String target, String headers) throws IOException {
        return ask(method, target, headers).status();
    }

    @Test
    void aRequestWithoutAHostIsOfNoSite() throws IOException {
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            http.send("POST /v1/sessions HTTP/1.0\r\nOrigin: http://null\r\nContent-Length: 0\r\n\r\n");
            assertThat(http.response().status()).isEqualTo(403);
        }
    }

    @Test
    void anotherHostIsRefusedOnEveryRouteButReadiness() throws IOException {
        for (String host : List.of("Host: evil.example", "Host: ")) {
            assertThat(ask("POST", "/v1/sessions", host).error()).isEqualTo("other_host");
            assertThat(status("GET", "/v1/stats", host)).isEqualTo(421);
            assertThat(status("GET", "/metrics", host)).isEqualTo(421);
            assertThat(ask("POST", FLEET, "fleet-lock-protocol: true\r\n" + host)
                            .member("kind"))
                    .isEqualTo("other_host");
            assertThat(status("GET", "/ready", host)).isEqualTo(200);
        }
        assertThat(status("POST", "/v1/sessions", "Host: locks.example:1")).isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource({
        "Origin: https://evil.example, 403",
        "Sec-Fetch-Site: cross-site, 403",
        "'Sec-Fetch-Site: none\r\nSec-Fetch-Site: cross-site', 403",
        "Origin: https://app.example, 200",
        "User-Agent: curl/8, 200",
    })
    void aChangeMustNotComeFromAnotherSite(String header, int status) throws IOException {
        String headers = "Host: localhost\r\n" + header;
        assertThat(status("POST", "/v1/sessions", headers)).isEqualTo(status);
        assertThat(status("POST", "/v1/fleetlock/groups/default/resume", headers))
                .isEqualTo(status);
        Response fleet = ask("POST", FLEET, "fleet-lock-protocol: true\r\n" + headers);
        assertThat(fleet.member("kind")).isEqualTo(status == 403 ? "cross_site" : "invalid_body");
        for (String target : List.of("/v1/stats", "/v1/keys?sort=longest_hold", "/metrics", "/v1/deadlocks")) {
            assertThat(status("GET", target, headers)).isEqualTo(status);
        }
        assertThat(status("GET", "/v1/%6beys", headers)).isEqualTo(status == 403 ? 403 : 404);
        for (String target : List.of("/health", "/ready", "/v1/openapi.json", "/")) {
            assertThat(status("GET", target, headers)).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @CsvSource({"TEXT/Plain ;charset=utf-8, 403", "application/json, 204"})
    void anOrderMustNotBeAForm(String type, int status) throws IOException {
        String headers = "Host: localhost\r\nContent-Type: " + type;
        assertThat(status("POST", "/v1/drain?reason=x", headers)).isEqualTo(status);
        assertThat(status("POST", "/v1/undrain", headers)).isEqualTo(status);
        assertThat(status("POST", "/v1/fleetlock/groups/default/resume", headers))
                .isEqualTo(status == 403 ? 403 : 200);
        assertThat(status("POST", "/v1/sessions", headers)).isEqualTo(200);
    }
}
