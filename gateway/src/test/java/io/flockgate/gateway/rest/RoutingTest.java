package io.flockgate.gateway.rest;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.http.RequestTarget;
import io.flockgate.gateway.rest.Routing.Found;
import io.flockgate.gateway.rest.Routing.NotFound;
import io.flockgate.gateway.rest.Routing.Redirect;
import io.flockgate.gateway.rest.Routing.WrongMethod;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class RoutingTest {
    private static Routing routing(String method, String target) {
        return Routing.of(method, requireNonNull(RequestTarget.parse(target), target));
    }

    private static void expectFound(Routing routing, Route route, String segment) {
        assertThat(routing).isInstanceOfSatisfying(Found.class, found -> {
            assertThat(found.route()).isEqualTo(route);
            assertThat(new String(found.segment(), ISO_8859_1)).isEqualTo(segment);
        });
    }

    private static String filled(Route route, String segment) {
        return route.pattern().replaceAll("\\{[a-z]+}", segment);
    }

    private static boolean hasSegment(Route route) {
        return route.pattern().contains("{");
    }

    @ParameterizedTest
    @EnumSource
    void everyRouteIsFoundByItsPattern(Route route) {
        String segment = hasSegment(route) ? "x" : "";
        expectFound(routing(route.method(), filled(route, "x")), route, segment);
        expectFound(routing(route.method(), filled(route, "x") + "?a=b"), route, segment);
    }

    @ParameterizedTest
    @EnumSource
    void aPathThatExistsNamesItsMethodsToOthers(Route route) {
        String allow = route.method().equals("GET") ? "GET, HEAD" : route.method();
        List<String> refused =
                new ArrayList<>(List.of("GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "get"));
        refused.remove(route.method());
        for (String method : refused) {
            assertThat(routing(method, filled(route, "x"))).isEqualTo(new WrongMethod(allow));
        }
    }

    @ParameterizedTest
    @EnumSource
    void headIsAnsweredWhereGetIs(Route route) {
        Routing head = routing("HEAD", filled(route, "x"));
        if (route.method().equals("GET")) {
            assertThat(head).isInstanceOf(Found.class);
        } else {
            assertThat(head).isInstanceOf(WrongMethod.class);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aSlashAtTheEndIsAnotherPath(Route route) {
        assertThat(routing(route.method(), filled(route, "x") + "/")).isEqualTo(NotFound.NOWHERE);
    }

    @ParameterizedTest
    @EnumSource
    void anUncleanWritingLeadsToTheCleanOneOrSaysWhatThePathKnows(Route route) {
        String path = filled(route, "x%2Fy");
        for (String unclean : List.of("/" + path, "/." + path, "/a/.." + path, path + "/.", path + "/a/..")) {
            assertThat(routing(route.method(), unclean + "?q//")).isEqualTo(new Redirect(path + "?q//"));
            assertThat(routing("PATCH", unclean)).isEqualTo(new WrongMethod(route.allow()));
            assertThat(routing(route.method(), unclean + "/no/such/place")).isEqualTo(NotFound.NOWHERE);
        }
        assertThat(routing(route.method(), "/" + path + "/")).isEqualTo(NotFound.NOWHERE);
    }

    @ParameterizedTest
    @CsvSource({
        "/v1/locks/a%2Fb, ACQUIRE_LOCK, a/b",
        "/v1/locks/%2F, ACQUIRE_LOCK, /",
        "/v1/locks/a%2Frelease, ACQUIRE_LOCK, a/release",
        "/v1/locks/release, ACQUIRE_LOCK, release",
        "/v1/locks/release/release, RELEASE_LOCK, release",
        "/v1/locks/wait/enqueue, ENQUEUE_LOCK, wait",
        "/v1/semaphores/wait/wait, WAIT_SEM, wait",
        "/v1/locks/%2E%2E, ACQUIRE_LOCK, ..",
        "/v1/locks/%2e/renew, RENEW_LOCK, .",
        "/v1/locks/.%2E, ACQUIRE_LOCK, ..",
        "/v1/locks/a+b, ACQUIRE_LOCK, a+b",
        "/v1/locks/{key}, ACQUIRE_LOCK, {key}",
        "/v1/locks/%FF, ACQUIRE_LOCK, \u00ff",
        "/v1/locks/%FE, ACQUIRE_LOCK, \u00fe",
        "/v1/locks/%C3%A4, ACQUIRE_LOCK, \u00c3\u00a4",
        "/v1/locks/\u00e4, ACQUIRE_LOCK, \u00e4",
        "/v1/locks/a%3Fb, ACQUIRE_LOCK, a?b",
        "/v1/locks/%2561, ACQUIRE_LOCK, %61",
        "/v1/sessions/x/ping, PING_SESSION, x",
        "/%76%31/l%6Fcks/a, ACQUIRE_LOCK, a",
        "/v1/locks/a/rele%61se, RELEASE_LOCK, a",
    })
    void segmentsAreSplitBeforeTheyAreDecoded(String path, Route route, String segment) {
        expectFound(routing("POST", path), route, segment);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "/v1",
                "/v1/",
                "/v1/locks",
                "/v1/locks/",
                "/v1/locks/a/",
                "/v1/locks/a/b",
                "/v1/locks/a/release/b",
                "/v1/locks%2Fa",
                "/v1%2Flocks/a",
                "/%2Fv1/locks/a",
                "/v2/locks/a",
                "/V1/locks/a",
                "/v1/Locks/a",
                "/v1/locks/a/RELEASE",
                "/health/",
                "/health/x",
                "/Health",
                "/health%20",
                "/v1/openapi",
                "/v1/sessions/a/b",
                "/v1/semaphores",
                "/v1/keys/",
                "/v1/keys/a/b",
                "/v1/locks/a%2Frelease/b",
                "/metrics/",
                "/%",
            })
    void everythingElseIsNowhere(String path) {
        RequestTarget target = new RequestTarget(path, null);
        for (Route route : Route.values()) {
            assertThat(Routing.of(route.method(), target)).isEqualTo(NotFound.NOWHERE);
        }
    }

    @Test
    void noTwoRoutesShareAnOperationOrAPath() {
        assertThat(Stream.of(Route.values()).map(Route::operationId)).doesNotHaveDuplicates();
        assertThat(Stream.of(Route.values()).map(Route::pattern)).doesNotHaveDuplicates();
    }
}
