package io.flockgate.gateway.fleetlock.http;

import io.flockgate.gateway.fleetlock.Answer;
import io.flockgate.gateway.fleetlock.AnswerKind;
import io.flockgate.gateway.fleetlock.ClientParams;
import io.flockgate.gateway.http.ErrorReplies;
import io.flockgate.gateway.http.Reply;

/** FleetLock's replies: every one has a body with a kind and a value. */
final class FleetLockReplies {
    static final ErrorReplies ERRORS = new ErrorReplies(
            ClientParams.MAX_BODY_BYTES,
            of(AnswerKind.BODY_TOO_LARGE, "body too large (max 16 KiB)"),
            detail -> of(AnswerKind.INVALID_BODY, detail),
            of(AnswerKind.OVERLOADED, "the server has too many large requests; ask again"),
            of(AnswerKind.INTERNAL_ERROR, "the server has failed"),
            of(AnswerKind.BACKEND_UNAVAILABLE, "the server cannot reach its storage; ask again"));

    private FleetLockReplies() {}

    static Reply of(Answer answer) {
        return of(answer.kind(), answer.value());
    }

    static Reply of(AnswerKind kind, String value) {
        return Reply.json(kind.status(), "kind", kind.text(), "value", value);
    }
}
