package io.flockgate.gateway.http;

import io.flockgate.gateway.fleetlock.AnswerKind;
import io.flockgate.gateway.fleetlock.ClientParams;

/** How a protocol tells of what goes wrong around its requests, and how long their bodies may be. */
enum ErrorForm {
    REST(HttpLimits.MAX_BODY_BYTES) {
        @Override
        Reply bodyTooLarge() {
            return Reply.badRequest("body too large (max 1 MiB)");
        }

        @Override
        Reply bodyFault(String detail) {
            return Reply.badRequest(detail);
        }

        @Override
        Reply overloaded() {
            return Reply.OVERLOADED;
        }

        @Override
        Reply internal() {
            return Reply.INTERNAL;
        }
    },
    FLEETLOCK(ClientParams.MOST_BODY_BYTES) {
        @Override
        Reply bodyTooLarge() {
            return Reply.of(AnswerKind.BODY_TOO_LARGE, "body too large (max 16 KiB)");
        }

        @Override
        Reply bodyFault(String detail) {
            return Reply.of(AnswerKind.INVALID_BODY, detail);
        }

        @Override
        Reply overloaded() {
            return Reply.of(AnswerKind.OVERLOADED, "the server has too many large requests; ask again");
        }

        @Override
        Reply internal() {
            return Reply.of(AnswerKind.INTERNAL_ERROR, "the server has failed");
        }
    };

    private final int maxBodyBytes;

    ErrorForm(int maxBodyBytes) {
        this.maxBodyBytes = maxBodyBytes;
    }

    int maxBodyBytes() {
        return maxBodyBytes;
    }

    abstract Reply bodyTooLarge();

    abstract Reply bodyFault(String detail);

    abstract Reply overloaded();

    abstract Reply internal();
}
