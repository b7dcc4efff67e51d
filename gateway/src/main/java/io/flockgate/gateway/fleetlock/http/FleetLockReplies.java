package io.flockgate.gateway.fleetlock.http;

import io.flockgate.gateway.fleetlock.Answer;
import io.flockgate.gateway.fleetlock.AnswerKind;
import io.flockgate.gateway.fleetlock.ClientParams;
import io.flockgate.gateway.http.ErrorReplies;
import io.flockgate.gateway.http.Reply;

/** FleetLock's replies: every one has a body with a kind and a value. */
enum FleetLockReplies implements ErrorReplies {
    ERRORS;

    static Reply of(Answer answer) {
        return of(answer.kind(), answer.value());
    }

    static Reply of(AnswerKind kind, String value) {
        return Reply.json(kind.status(), "kind", kind.text(), "value", value);
    }

    @Override
    public int maxBodyBytes() {
        return ClientParams.MAX_BODY_BYTES;
    }

    @Override
    public Reply bodyTooLarge() {
        return of(AnswerKind.BODY_TOO_LARGE, "body too large (max 16 KiB)");
    }

    @Override
    public Reply bodyFault(String detail) {
        return of(AnswerKind.INVALID_BODY, detail);
    }

    @Override
    public Reply overloaded() {
        return of(AnswerKind.OVERLOADED, "the server has too many large requests; ask again");
    }

    @Override
    public Reply internal() {
        return of(AnswerKind.INTERNAL_ERROR, "the server has failed");
    }

    @Override
    public Reply storageUnavailable() {
        return of(AnswerKind.BACKEND_UNAVAILABLE, "the server cannot reach its storage; ask again");
    }
}
