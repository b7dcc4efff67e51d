package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.flockgate.gateway.TestGateway;
import io.flockgate.gateway.server.http.ApiDocument.DocumentedOperation;
import java.nio.charset.StandardCharsets;
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
        try (TestGateway gateway = TestGateway.startWithHttp();
                SessionClient client = SessionClient.of(gateway.httpPort())) {
            for (DocumentedOperation operation : document.operations()) {
                if (operation.hasBody()) {
                    String path = operation.path().replace("{key}", operation.id());
                    JsonNode schema = document.resolved(operation.request());
                    JsonNode open = schema.path("additionalProperties");
                    assertThat(open.isBoolean() && !open.booleanValue())
                            .as("%s", operation)
                            .isTrue();
                    String members = members(schema);
                    assertThat(client.post(path, "{" + members + "}").status())
                            .as("%s", operation)
                            .isNotEqualTo(400);
                    assertThat(client.post(path, "{" + members + ",\"stray\":1}")
                                    .status())
                            .as("%s", operation)
                            .isEqualTo(400);
                }
            }
        }
    }

    /** All members that the schema names. */
    private static String members(JsonNode schema) {
        StringBuilder members = new StringBuilder();
        schema.get("properties")
                .forEachEntry((name, type) -> members.append(members.isEmpty() ? "\"" : ",\"")
                        .append(name)
                        .append(type.get("type").asText().equals("integer") ? "\":1" : "\":\"x\""));
        return members.toString();
    }
}
