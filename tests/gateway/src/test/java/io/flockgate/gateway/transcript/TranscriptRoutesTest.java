package io.flockgate.gateway.transcript;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.flockgate.gateway.transcript.TranscriptStep.ExpectedResponse;
import io.flockgate.gateway.transcript.TranscriptStep.RequestToSend;
import io.flockgate.gateway.transcript.TranscriptStep.Send;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Every operation of the OpenAPI document has a transcript in which it succeeds. A new route fails
 * here until one shows it.
 */
class TranscriptRoutesTest {
    /** The first line of a request that is written as bytes, as one for a stream must be. */
    private static final Pattern IN_BYTES = Pattern.compile("([A-Z]+) (/\\S*) HTTP/1\\.[01].*");

    private final Map<String, Pattern> operations = new TreeMap<>();
    private final Set<String> shown = new TreeSet<>();

    @Test
    void everyOperationSucceedsInSomeTranscript() throws IOException {
        readDocument();
        for (Transcript transcript : TranscriptFiles.all()) {
            Map<String, Deque<String>> asked = new HashMap<>();
            for (TranscriptStep step : transcript.steps()) {
                note(step, asked);
            }
        }
        assertThat(shown).containsExactlyElementsOf(operations.keySet());
    }

    private void readDocument() throws IOException {
        Path document = TranscriptFiles.docs().resolve("openapi.json");
        JsonNode paths = new ObjectMapper().readTree(document.toFile()).get("paths");
        for (Map.Entry<String, JsonNode> path : paths.properties()) {
            String regex = path.getKey().replaceAll("\\{[a-z]+}", "[^/?]+") + "(\\?.*)?";
            for (Map.Entry<String, JsonNode> operation : path.getValue().properties()) {
                if (operation.getValue().has("operationId")) {
                    String method = operation.getKey().toUpperCase(Locale.ROOT);
                    operations.put(method + " " + path.getKey(), Pattern.compile(method + " " + regex));
                }
            }
        }
        assertThat(operations).hasSizeGreaterThan(30);
    }

    private void note(TranscriptStep step, Map<String, Deque<String>> asked) {
        switch (step) {
            case RequestToSend request ->
                asked.computeIfAbsent(request.connection(), ignored -> new ArrayDeque<>())
                        .add(request.method() + " " + request.target().written());
            case ExpectedResponse answer -> {
                String request = asked.computeIfAbsent(answer.connection(), ignored -> new ArrayDeque<>())
                        .poll();
                if (request != null && answer.status() < 300) {
                    show(request);
                }
            }
            case Send send -> {
                Matcher request = IN_BYTES.matcher(send.text().written());
                if (request.matches()) {
                    show(request.group(1) + " " + request.group(2));
                }
            }
            default -> {}
        }
    }

    private void show(String request) {
        operations.forEach((operation, pattern) -> {
            if (pattern.matcher(request).matches()) {
                shown.add(operation);
            }
        });
    }
}
