package io.flockgate.gateway.http;

import java.util.List;
import java.util.function.Function;

/**
 * What all possible answers to a request have in common. Immutable.
 *
 * @param route the label of the request in the metrics
 * @param errors the replies to failures of the body, the server and the storage
 * @param headers further headers of every answer
 * @param counted whether the request is in the metrics
 */
public record AnswerForm(String route, ErrorReplies errors, List<Reply.Header> headers, boolean counted) {
    private static final String UNMATCHED = "unmatched";

    /**
     * The replies of one protocol to failures of the body, the server and the storage.
     *
     * @param maxBodyBytes the maximum length of a body
     * @param bodyFaults makes the reply to a body that has not fully arrived, or whose coding is
     *     malformed
     * @param overloaded the reply when too many large bodies are in progress
     */
    public record ErrorReplies(
            int maxBodyBytes,
            Reply bodyTooLarge,
            Function<String, Reply> bodyFaults,
            Reply overloaded,
            Reply internal,
            Reply storageUnavailable) {}

    /** The form of a route with this label. */
    public static AnswerForm of(String route, ErrorReplies errors) {
        return new AnswerForm(route, errors, List.of(), true);
    }

    /** The form of a request that no route carries out. */
    public static AnswerForm unmatched(ErrorReplies errors) {
        return of(UNMATCHED, errors);
    }

    public AnswerForm with(List<Reply.Header> more) {
        return new AnswerForm(route, errors, more, counted);
    }

    public AnswerForm uncounted() {
        return new AnswerForm(route, errors, headers, false);
    }
}
