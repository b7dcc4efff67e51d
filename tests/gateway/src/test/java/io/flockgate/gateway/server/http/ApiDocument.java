package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.flockgate.testsupport.Repository;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** The OpenAPI document as published, and checks of responses against it. Thread safe. */
public final class ApiDocument {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String SCHEMAS = "/components/schemas";

    /** The members that distinguish an answer from others with its status. */
    private static final List<String> TELLING = List.of("error", "status");

    private static final ApiDocument PUBLISHED = read(Repository.file("protocol-docs/openapi.json"));

    private final byte[] bytes;
    private final JsonNode document;
    private final List<DocumentedOperation> operations = new ArrayList<>();
    private final Map<JsonNode, Schema> compiled = new ConcurrentHashMap<>();

    /**
     * One operation.
     *
     * @param request the schema of its body; a missing node if it has none
     */
    public record DocumentedOperation(String id, String method, String path, JsonNode request, JsonNode responses) {
        /** Whether it is an operation on a key, with a body. */
        public boolean hasBody() {
            return !request.isMissingNode() && path.contains("{key}");
        }

        /** Whether a request with this method and target, as it is written, asks for it. */
        public boolean isAskedBy(String given, String target) {
            return method.equals(given) && target.matches(path.replaceAll("\\{[a-z]+}", "[^/?]+") + "(\\?.*)?");
        }

        @Override
        public String toString() {
            return method + " " + path + " " + id;
        }
    }

    private ApiDocument(byte[] bytes) throws IOException {
        this.bytes = bytes;
        this.document = JSON.readTree(bytes);
        document.get("paths")
                .forEachEntry((path, methods) -> methods.forEachEntry((method, operation) -> {
                    JsonNode request = operation.at("/requestBody/content/application~1json/schema");
                    String id = operation.get("operationId").asText();
                    operations.add(new DocumentedOperation(
                            id, method.toUpperCase(Locale.ROOT), path, request, operation.get("responses")));
                }));
    }

    public static ApiDocument published() {
        return PUBLISHED;
    }

    private static ApiDocument read(Path file) {
        try {
            return new ApiDocument(Files.readAllBytes(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    byte[] bytes() {
        return bytes.clone();
    }

    public List<DocumentedOperation> operations() {
        return List.copyOf(operations);
    }

    DocumentedOperation operation(String id) {
        return operations.stream()
                .filter(operation -> operation.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    public Set<String> errorCodes() {
        return document.at(SCHEMAS + "/ErrorBody/properties/error/enum")
                .valueStream()
                .map(JsonNode::asText)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The node that this one refers to, or the node itself if it refers to none. */
    JsonNode resolved(JsonNode node) {
        return node.has("$ref") ? document.at(node.get("$ref").asText().substring(1)) : node;
    }

    /** Fails unless the JSON conforms to the schema of this name. */
    public void expectFits(String schema, String json) throws IOException {
        ObjectNode reference = JSON.createObjectNode().put("$ref", "#" + SCHEMAS + "/" + schema);
        assertThat(faults(reference, JSON.readTree(json))).as(json).isEmpty();
    }

    /** The violations of the schema, which allows only the members that it names. */
    List<String> faults(JsonNode schema, JsonNode value) throws IOException {
        Schema known = compiled.get(schema);
        if (known == null) {
            known = compile(schema);
            compiled.put(schema, known);
        }
        return known.validate(value).stream().map(Error::toString).toList();
    }

    private Schema compile(JsonNode schema) throws IOException {
        ObjectNode whole = JSON.createObjectNode();
        whole.set("allOf", JSON.createArrayNode().add(schema));
        whole.set("$defs", document.at(SCHEMAS));
        JsonNode local = JSON.readTree(whole.toString().replace("#" + SCHEMAS + "/", "#/$defs/"));
        close(local);
        return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                .getSchema(local);
    }

    /** A newer server may send members that a schema does not name, but this one may not. */
    private static void close(JsonNode schema) {
        if (schema instanceof ObjectNode object && object.path("properties").isObject()) {
            object.put("additionalProperties", false);
        }
        schema.forEach(ApiDocument::close);
    }

    /** Fails if the request asks for an operation and the document does not allow this answer. */
    public void check(String method, String target, Response response) throws IOException {
        for (DocumentedOperation operation : operations) {
            if (operation.isAskedBy(method, target)) {
                expect(operation.id(), response);
            }
        }
    }

    /**
     * Fails unless the document allows this answer to the operation. Returns which of its answers
     * it was.
     */
    @CanIgnoreReturnValue
    String expect(String operationId, Response response) throws IOException {
        String status = Integer.toString(response.status());
        JsonNode documented = resolved(operation(operationId).responses().path(status));
        assertThat(documented.isObject())
                .as("%s is not documented to give %s", operationId, response)
                .isTrue();
        documented
                .path("headers")
                .fieldNames()
                .forEachRemaining(name -> assertThat(response.header(name)).isPresent());
        if (!documented.has("content")) {
            assertThat(response.body()).isEmpty();
            return status;
        }
        String type = response.header("Content-Type").orElse("").replaceAll(";.*", "");
        JsonNode content = documented.get("content").path(type);
        assertThat(content.isObject()).as("%s as %s", operationId, type).isTrue();
        return status + (type.equals("application/json") ? expectJson(operationId, content, response) : "");
    }

    private String expectJson(String operationId, JsonNode content, Response response) throws IOException {
        JsonNode value = JSON.readTree(response.body().getBytes(StandardCharsets.ISO_8859_1));
        assertThat(faults(content.get("schema"), value))
                .as("%s: %s", operationId, response)
                .isEmpty();
        String telling = telling(value);
        assertThat(examples(content)).as("examples of %s", operationId).contains(telling);
        return telling;
    }

    /** What distinguishes the answers of one status from each other. */
    private static String telling(JsonNode value) {
        return TELLING.stream()
                .filter(member -> value.path(member).isTextual())
                .map(member -> " " + value.get(member).asText())
                .findFirst()
                .orElse("");
    }

    private static List<String> examples(JsonNode content) {
        return content.path("examples")
                .valueStream()
                .map(example -> telling(example.get("value")))
                .toList();
    }

    /** All documented answers: operation, status, and what distinguishes each from others. */
    public Set<String> answers() {
        Set<String> answers = new TreeSet<>();
        for (DocumentedOperation operation : operations) {
            operation.responses().forEachEntry((status, response) -> {
                JsonNode json = resolved(response).at("/content/application~1json");
                List<String> telling = json.isMissingNode() ? List.of("") : examples(json);
                telling.forEach(text -> answers.add(operation.id() + " " + status + text));
            });
        }
        return answers;
    }

    /**
     * Each schema that has examples beside it, together with them: bodies of requests and
     * responses.
     */
    List<JsonNode> contents() {
        return document.get("paths").findValues("content").stream()
                .flatMap(JsonNode::valueStream)
                .filter(content -> content.has("examples"))
                .toList();
    }
}
