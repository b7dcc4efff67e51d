package io.flockgate.gateway.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.http.Heads;
import io.flockgate.gateway.http.Reply;
import io.flockgate.gateway.http.RequestHead;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class CorsTest {
    private static final String APP = "https://app.example";
    private static final String ALWAYS = """
            Access-Control-Allow-Methods: GET, POST, DELETE, OPTIONS\r
            Access-Control-Allow-Headers: Authorization, Content-Type, X-Dflockd-Session\r
            Access-Control-Max-Age: 300\r
            """;

    private final OriginCheck none = origins(List.of());
    private final OriginCheck some = origins(List.of(APP, "http://localhost:3000"));
    private final OriginCheck any = origins(List.of(APP, "*"));

    private static OriginCheck origins(List<String> allowed) {
        return new OriginCheck(false, "localhost", List.of(), allowed);
    }

    private static String lines(List<Reply.Header> headers) {
        return headers.stream()
                .map(header -> header.name() + ": " + header.value() + "\r\n")
                .collect(Collectors.joining());
    }

    @Test
    void anAllowedOriginIsNamedAndTheAnswerVariesByIt() {
        assertThat(lines(some.corsHeaders(APP)))
                .isEqualTo("Access-Control-Allow-Origin: " + APP + "\r\nVary: Origin\r\n" + ALWAYS);
        assertThat(lines(some.corsHeaders("http://localhost:3000")))
                .contains("Allow-Origin: http://localhost:3000\r\n");
    }

    @Test
    void theStarAllowsAllAndNamesNone() {
        for (String origin : List.of(APP, "https://other.example", "null")) {
            assertThat(lines(any.corsHeaders(origin))).isEqualTo("Access-Control-Allow-Origin: *\r\n" + ALWAYS);
        }
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(
            strings = {
                "",
                "https://other.example",
                "https://app.example/",
                "https://APP.example",
                "http://app.example",
                "https://app.example:443",
                "null",
                "*",
                "https://app.example, http://localhost:3000",
            })
    void anOriginThatIsNotAllowedToTheLetterGetsNothing(@Nullable String origin) {
        assertThat(some.corsHeaders(origin)).isEmpty();
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", APP, "*"})
    void withoutOriginsThereIsNoCors(@Nullable String origin) {
        assertThat(none.corsHeaders(origin)).isEmpty();
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = "")
    void aRequestThatComesFromNoPageGetsNothingEvenWhereAllMayCome(@Nullable String origin) {
        assertThat(any.corsHeaders(origin)).isEmpty();
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
}
