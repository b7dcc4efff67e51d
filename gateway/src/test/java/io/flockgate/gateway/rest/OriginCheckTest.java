package io.flockgate.gateway.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.http.Heads;
import io.flockgate.gateway.http.RequestHead;
import io.flockgate.gateway.rest.OriginCheck.Verdict;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class OriginCheckTest {
    private static final String APP = "https://app.example";
    private final OriginCheck none = origins(List.of());
    private final OriginCheck some = origins(List.of(APP, "http://localhost:3000"));
    private final OriginCheck any = origins(List.of(APP, "*"));

    private static OriginCheck origins(List<String> allowed) {
        return new OriginCheck(false, "localhost", List.of(), allowed);
    }

    /** The origin that the answer allows. Transcripts show all headers. */
    private static String allowed(OriginCheck check, @Nullable String origin) {
        return check.corsHeaders(origin).stream()
                .filter(header -> header.name().toString().equals("Access-Control-Allow-Origin"))
                .map(header -> header.value().toString())
                .findFirst()
                .orElse("");
    }

    @ParameterizedTest
    @ValueSource(strings = {APP, "http://localhost:3000"})
    void anAllowedOriginIsNamed(String origin) {
        assertThat(allowed(some, origin)).isEqualTo(origin);
        assertThat(allowed(any, origin)).isEqualTo("*");
        assertThat(allowed(none, origin)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://other.example",
                "https://app.example/",
                "https://APP.example",
                "http://app.example",
                "https://app.example:443",
                "null",
                "*",
                "https://app.example, http://localhost:3000",
            })
    void anOriginThatIsNotAllowedToTheLetterGetsNothing(String origin) {
        assertThat(some.corsHeaders(origin)).isEmpty();
        assertThat(none.corsHeaders(origin)).isEmpty();
        assertThat(allowed(any, origin)).isEqualTo("*");
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = "")
    void aRequestThatComesFromNoPageGetsNothing(@Nullable String origin) {
        for (OriginCheck check : List.of(none, some, any)) {
            assertThat(check.corsHeaders(origin)).isEmpty();
        }
    }

    @Test
    void aPreflightIsAnOptionsThatAsksForAMethodWhereThereIsCors() {
        RequestHead preflight = Heads.of("OPTIONS", "/nothing", "Access-Control-Request-Method", "POST");
        assertThat(some.isPreflight(preflight)).isTrue();
        assertThat(any.isPreflight(preflight)).isTrue();
        assertThat(none.isPreflight(preflight)).isFalse();
        assertThat(some.isPreflight(Heads.of("OPTIONS", "/health", "Origin", APP)))
                .isFalse();
        assertThat(some.isPreflight(Heads.of("POST", "/health", "Access-Control-Request-Method", "POST")))
                .isFalse();
        assertThat(some.isPreflight(Heads.of("OPTIONS", "/a", "access-control-request-method", "")))
                .isTrue();
    }

    private static Verdict verdict(OriginCheck check, String method, String target, String... headers) {
        return check.check(Heads.of(method, target, headers), "192.0.2.7");
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
    void anotherHostIsRefusedUnlessATokenOrAStarGuardsTheGateway(String host) {
        OriginCheck check = new OriginCheck(false, "localhost", List.of("Locks.example"), List.of());
        assertThat(verdict(check, "POST", "/v1/sessions", "Host", host)).isEqualTo(Verdict.OTHER_HOST);
        assertThat(verdict(check, "GET", "/ready", "Host", host)).isEqualTo(Verdict.PASSED);
        for (OriginCheck open : List.of(
                new OriginCheck(true, "localhost", List.of(), List.of()),
                new OriginCheck(false, "localhost", List.of("*"), List.of()))) {
            assertThat(verdict(open, "POST", "/v1/sessions", "Host", host)).isEqualTo(Verdict.PASSED);
        }
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
                "192.0.2.7:1",
                "locks.example",
                "LOCKS.EXAMPLE:1"
            })
    void theNamesOfTheGatewayPass(String host) {
        OriginCheck check = new OriginCheck(false, "localhost", List.of("Locks.example"), List.of());
        assertThat(verdict(check, "POST", "/v1/sessions", "Host", host)).isEqualTo(Verdict.PASSED);
    }

    @ParameterizedTest
    @CsvSource({
        "Origin, https://evil.example, CROSS_SITE",
        "Origin, null, CROSS_SITE",
        "Origin, http://localhost:1, CROSS_SITE",
        "Origin, http://localhost, PASSED",
        "Origin, https://localhost, PASSED",
        "Origin, https://app.example, PASSED",
        "Sec-Fetch-Site, cross-site, CROSS_SITE",
        "Sec-Fetch-Site, same-site, CROSS_SITE",
        "Sec-Fetch-Site, same-origin, PASSED",
        "Sec-Fetch-Site, none, PASSED",
        "User-Agent, curl/8, PASSED",
    })
    void aRequestMustNotComeFromAnotherSite(String header, String value, Verdict verdict) {
        for (String method : List.of("GET", "POST", "DELETE")) {
            assertThat(verdict(some, method, "/v1/stats", header, value)).isEqualTo(verdict);
        }
        assertThat(verdict(some, "GET", "/health", header, value)).isEqualTo(Verdict.PASSED);
        assertThat(verdict(some, "OPTIONS", "/v1/stats", header, value)).isEqualTo(Verdict.PASSED);
    }

    @Test
    void aRepeatedOriginOrSiteIsThatOfAnotherSite() {
        for (String header : List.of("Origin", "Sec-Fetch-Site")) {
            assertThat(verdict(some, "POST", "/a", header, APP, header, APP)).isEqualTo(Verdict.CROSS_SITE);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "application/x-www-form-urlencoded, true",
        "multipart/form-data; boundary=x, true",
        "TEXT/Plain ;charset=utf-8, true",
        "application/json, false",
        "application/octet-stream, false",
    })
    void aFormIsKnownByItsContentType(String type, boolean form) {
        assertThat(OriginCheck.isOfForm(Heads.of("POST", "/a", "Content-Type", type)))
                .isEqualTo(form);
        assertThat(OriginCheck.isOfForm(Heads.of("POST", "/a"))).isFalse();
    }
}
