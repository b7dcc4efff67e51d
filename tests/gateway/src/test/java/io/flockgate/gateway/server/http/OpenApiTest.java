package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.flockgate.gateway.TestGateway;
import io.flockgate.gateway.server.http.ApiDocument.DocumentedOperation;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The document that the server serves is the published one, and is sound in itself. */
class OpenApiTest {
    @Test
    void theServedDocumentIsThePublishedOne() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                RawHttp http = RawHttp.of(gateway.httpPort())) {
            Response served = http.get("/v1/openapi.json");
            assertThat(served.body().getBytes(StandardCharsets.ISO_8859_1))
                    .isEqualTo(ApiDocument.published().bytes());
        }
    }

    @Test
    void examplesAreAsTheirSchemasSay() throws Exception {
        ApiDocument document = ApiDocument.published();
        assertThat(document.contents()).isNotEmpty();
        for (JsonNode content : document.contents()) {
            for (JsonNode example : content.get("examples")) {
                if (!content.get("schema").path("type").asText().equals("object")) {
                    assertThat(document.faults(content.get("schema"), example.get("value")))
                            .as("%s", example)
                            .isEmpty();
                }
            }
        }
    }

    @Test
    void theServerTakesTheMembersOfEachBodyAndNoOthers() throws Exception {
        ApiDocument document = ApiDocument.published();
        List<DocumentedOperation> withBody = document.operations().stream()
                .filter(DocumentedOperation::hasBody)
                .toList();
        Set<String> others = new TreeSet<>(Set.of("stray"));
        withBody.forEach(operation -> others.addAll(members(document, operation)));
        try (TestGateway gateway = TestGateway.startWithHttp();
                SessionClient client = SessionClient.of(gateway.httpPort())) {
            for (DocumentedOperation operation : withBody) {
                JsonNode schema = document.resolved(operation.request());
                JsonNode open = schema.path("additionalProperties");
                assertThat(open.isBoolean() && !open.booleanValue())
                        .as("%s", operation)
                        .isTrue();
                String path = operation.path().replace("{key}", operation.id());
                String all = values(schema);
                assertThat(client.post(path, "{" + all + "}").status())
                        .as("%s", operation)
                        .isNotEqualTo(400);
                Set<String> known = members(document, operation);
                for (String other : others) {
                    if (!known.contains(other)) {
                        assertThat(client.post(path, "{" + all + ",\"" + other + "\":null}")
                                        .status())
                                .as("%s: %s", operation, other)
                                .isEqualTo(400);
                    }
                }
            }
        }
    }

    private static Set<String> members(ApiDocument document, DocumentedOperation operation) {
        Set<String> names = new TreeSet<>();
        document.resolved(operation.request()).get("properties").fieldNames().forEachRemaining(names::add);
        return names;
    }

    /** A value of each member that the schema names. */
    private static String values(JsonNode schema) {
        StringBuilder members = new StringBuilder();
        schema.get("properties")
                .forEachEntry((name, type) -> members.append(members.isEmpty() ? "\"" : ",\"")
                        .append(name)
                        .append(type.get("type").asText().equals("integer") ? "\":1" : "\":\"x\""));
        return members.toString();
    }
}
