package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.flockgate.gateway.TestGateway;
import io.flockgate.gateway.server.http.ApiDocument.DocumentedOperation;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The document that the server serves is the published one, and is sound in itself. */
class OpenApiTest {
    @Test
    void theServedDocumentIsThePublishedOneAndNeedsNoToken() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp("--auth-token=s3cret");
                RawHttp http = RawHttp.of(gateway.httpPort())) {
            Response served = http.get("/v1/openapi.json");
            assertThat(served.status()).isEqualTo(200);
            assertThat(served.header("Content-Type")).contains("application/json");
            assertThat(served.header("Cache-Control")).contains("public, max-age=60");
            assertThat(served.body().getBytes(StandardCharsets.ISO_8859_1))
                    .isEqualTo(ApiDocument.published().bytes());
        }
    }

    @Test
    void theDocumentHasTheVersionOfTheProduct() throws Exception {
        String build = Files.readString(Path.of("pom.xml"));
        Matcher version = Pattern.compile("<version>([^<]+)</version>").matcher(build);
        assertThat(version.find()).isTrue();
        String text = new String(ApiDocument.published().bytes(), StandardCharsets.UTF_8);
        assertThat(new JsonObject(text).getJsonObject("info").getString("version"))
                .isEqualTo(version.group(1));
    }

    @Test
    void bodiesOfRequestsMayHaveNoOtherMembersThanThoseNamed() throws Exception {
        ApiDocument document = ApiDocument.published();
        assertThat(document.operations().stream().filter(DocumentedOperation::hasBody))
                .hasSize(10);
        for (DocumentedOperation operation : document.operations()) {
            if (operation.hasBody()) {
                JsonNode open = document.resolved(operation.request()).path("additionalProperties");
                assertThat(open.isBoolean() && !open.booleanValue())
                        .as("%s", operation)
                        .isTrue();
            }
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
                    String members = members(document.resolved(operation.request()));
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
