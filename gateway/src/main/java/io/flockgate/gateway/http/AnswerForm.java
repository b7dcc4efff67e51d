package io.flockgate.gateway.http;

import java.util.List;

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
