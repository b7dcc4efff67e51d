package io.flockgate.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.http.PathMatching;
import io.flockgate.gateway.rest.Route;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The table of routes. Two transcripts, rest-paths and rest-keys, have more paths. */
class HttpRoutesTest {
    static List<Route> routes() {
        return HttpRoutes.REST.stream().map(HttpRoutes.Endpoint::route).toList();
    }

    /** The first route with this method and path, which is the one that the router chooses. */
    private static Optional<Route> find(String method, String target) {
        return routes().stream()
                .filter(route -> route.methods().contains(method))
                .filter(route -> PathMatching.matches(route.path(), target))
                .findFirst();
    }

    private static String filled(Route route, String segment) {
        return route.path().text().replaceAll("\\{[a-z]+}", segment);
    }

    @ParameterizedTest
    @MethodSource("routes")
    void everyRouteIsFoundByItsPattern(Route route) {
        for (String method : route.methods()) {
            assertThat(find(method, filled(route, "x"))).contains(route);
            assertThat(find(method, filled(route, "x") + "?a=b")).contains(route);
        }
    }

    @ParameterizedTest
    @MethodSource("routes")
    void headIsAnsweredWhereGetIs(Route route) {
        assertThat(route.methods().contains("HEAD")).isEqualTo(route.method().equals("GET"));
    }

    @ParameterizedTest
    @MethodSource("routes")
    void aPathHasOneRoute(Route route) {
        assertThat(routes().stream().filter(other -> PathMatching.matches(other.path(), filled(route, "x"))))
                .containsExactly(route);
    }

    @ParameterizedTest
    @MethodSource("routes")
    void whatIsNotCleanIsAnotherPath(Route route) {
        String path = filled(route, "x%2Fy");
        assertThat(PathMatching.matches(route.path(), path)).isTrue();
        for (String unclean :
                List.of("/" + path, "/." + path, "/a/.." + path, path + "/.", path + "/a/..", path + "/")) {
            assertThat(find(route.method(), unclean)).isEmpty();
        }
        if (route.path().text().contains("{")) {
            for (String dots : List.of(".", "..")) {
                assertThat(find(route.method(), filled(route, dots))).isEmpty();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "/v1/locks/a%2Frelease, acquireLock, a/release",
        "/v1/locks/release/release, releaseLock, release",
        "/v1/locks/%2E%2E, acquireLock, ..",
        "/v1/locks/..a/renew, renewLock, ..a",
        "/v1/locks/{key}, acquireLock, {key}",
        "/v1/locks/\u00e4, acquireLock, \u00e4",
        "/v1/locks/%2561, acquireLock, %61",
    })
    void segmentsAreSplitBeforeTheyAreDecoded(String path, String operation, String key) {
        assertThat(find("POST", path)).hasValueSatisfying(route -> {
            assertThat(route.operationId()).isEqualTo(operation);
            assertThat(new String(PathMatching.segment(route.path(), path, "key"), ISO_8859_1))
                    .isEqualTo(key);
        });
    }

    /** The transcript rest-paths has more. */
    @ParameterizedTest
    @ValueSource(strings = {"/v1/openapi_json", "/v1/Locks/a", "/v1/locks/a/release/b"})
    void everythingElseIsNowhere(String path) {
        assertThat(routes()).noneMatch(route -> PathMatching.matches(route.path(), path));
    }
}
