package io.flockgate.gateway.transcript;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.server.http.ApiDocument;
import io.flockgate.gateway.transcript.TranscriptStep.ExpectedResponse;
import io.flockgate.gateway.transcript.TranscriptStep.RequestToSend;
import io.flockgate.gateway.transcript.TranscriptStep.Send;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Every answer of the OpenAPI document is shown by a transcript. A new route or error fails here
 * until one shows it.
 */
class TranscriptRoutesTest {
    /** The first line of a request that is written as bytes, as one for a stream must be. */
    private static final Pattern IN_BYTES = Pattern.compile("([A-Z]+) (/\\S*) HTTP/1\\.[01].*");

    /** What distinguishes answers with one status. */
    private static final Pattern TELLING = Pattern.compile("\"(?:error|status)\":\"([a-z_]+)\"");

    /**
     * Answers that need a fault or a crowd. RightsMatrixTest sees 401 and 403 of every operation,
     * and StorageFailureTest the failures of the storage. The rate limit comes before the
     * route.
     */
    private static final Pattern ELSEWHERE = Pattern.compile(".* 500 .*|.* 401 .*|.* 403 .*|.* 429 .*"
            + "|.* 503 (storage_unavailable|fence_persistence|overloaded|unavailable)"
            + "|(createSession|streamEvents) 503 draining|streamEvents 503 max_event_streams.*"
            + "|enqueue(Lock|Sem) 503 max_enqueued.*|acquire(Lock|Sem) 409 lease_expired"
            + "|evictHolder 409 foreign_holder");

    private final Set<String> shown = new TreeSet<>();

    @Test
    void everyDocumentedAnswerIsInSomeTranscript() throws IOException {
        ApiDocument document = ApiDocument.published();
        for (Transcript transcript : TranscriptFiles.all()) {
            Map<String, Deque<RequestToSend>> asked = new HashMap<>();
            for (TranscriptStep step : transcript.steps()) {
                note(document, step, asked);
            }
        }
        Set<String> missing = new TreeSet<>(document.answers());
        missing.removeAll(shown);
        missing.removeIf(answer -> ELSEWHERE.matcher(answer).matches());
        assertThat(missing).isEmpty();
    }

    private void note(ApiDocument document, TranscriptStep step, Map<String, Deque<RequestToSend>> asked) {
        switch (step) {
            case RequestToSend request ->
                asked.computeIfAbsent(request.connection(), ignored -> new ArrayDeque<>())
                        .add(request);
            case ExpectedResponse answer -> {
                RequestToSend request = answer.status() < 200
                        ? null
                        : asked.computeIfAbsent(answer.connection(), ignored -> new ArrayDeque<>())
                                .poll();
                if (request != null) {
                    show(document, request.method(), request.target().written(), answer.status() + telling(answer));
                }
            }
            case Send send -> {
                Matcher request = IN_BYTES.matcher(send.text().written());
                if (request.matches()) {
                    show(document, request.group(1), request.group(2), "200");
                }
            }
            default -> {}
        }
    }

    private static String telling(ExpectedResponse answer) {
        Matcher found = TELLING.matcher(answer.json().map(Text::written).orElse(""));
        return found.find() ? " " + found.group(1) : "";
    }

    private void show(ApiDocument document, String method, String target, String answer) {
        document.operations().stream()
                .filter(operation -> operation.isAskedBy(method, target))
                .forEach(operation -> shown.add(operation.id() + " " + answer));
    }
}
