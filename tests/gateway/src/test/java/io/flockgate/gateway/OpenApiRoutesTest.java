package io.flockgate.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.rest.Route;
import io.flockgate.gateway.server.http.ApiDocument;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The OpenAPI document knows the routes that the server knows. */
class OpenApiRoutesTest {
    private static String text(Route route) {
        return route.method() + " " + route.path().text() + " " + route.operationId();
    }

    @Test
    void documentAndRoutesMatchOneToOne() throws Exception {
        List<String> documented = ApiDocument.published().operations().stream()
                .map(ApiDocument.DocumentedOperation::toString)
                .toList();
        List<String> served =
                HttpRoutes.REST.stream().map(endpoint -> text(endpoint.route())).toList();
        assertThat(documented).containsExactlyInAnyOrderElementsOf(served).doesNotHaveDuplicates();
    }
}
