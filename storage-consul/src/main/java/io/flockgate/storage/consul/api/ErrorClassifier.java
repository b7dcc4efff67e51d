package io.flockgate.storage.consul.api;

import io.flockgate.storage.consul.api.ConsulException.Effect;
import io.flockgate.storage.consul.api.ConsulException.FailureKind;
import io.flockgate.storage.consul.api.TxnOutcome.Obstacle;
import java.util.List;

/**
 * Classifies requests that failed by what is certain about them. The effect is unknown, unless Consul, or the way in which the
 * request failed, says for sure that nothing was and nothing will be carried out.
 */
final class ErrorClassifier {
    /** Of errors after which a write may stand although another text below occurs too. */
    private static final List<String> UNSURE = List.of("leadership lost while committing log");

    /** Of errors that come before a write enters the log, on whichever server. */
    private static final List<String> SURELY_NOT = List.of(
            "No cluster leader",
            "timed out enqueuing operation",
            "node is not the leader",
            "leadership transfer in progress",
            "rpc error getting client: ",
            "failed to get conn: ");

    private static final List<String> DENIED = List.of("Permission denied", "ACL not found");

    private static final List<String> LIMITED =
            List.of("rate limit exceeded", "try again later", "too many concurrent connections");

    /** Of errors 500 with which Consul refuses what it was asked, before anything is written. */
    private static final List<String> WRONG = List.of(
            "invalid session ",
            "Invalid Session TTL ",
            "Missing check ",
            "Missing node registration",
            "is in critical state",
            "failed session lookup: ",
            "does not have associated TTL",
            "Unknown check");

    private ErrorClassifier() {}

    /** For an answer that is not what was asked for. */
    static ConsulException ofAnswer(ConsulResponse answer) {
        String words = answer.words();
        String message = "Consul answered " + answer.status() + (words.isEmpty() ? "" : ": " + words);
        int status = answer.status();
        if (status == 401 || status == 403) {
            return notDone(FailureKind.DENIED, message);
        } else if (status == 429) {
            return notDone(FailureKind.LIMITED, message);
        } else if (status >= 500) {
            return ofServerError(words, message);
        } else if (status >= 300 && status != 408) {
            return notDone(FailureKind.INVALID, message);
        }
        // What should not be, or a proxy that had the request and gave up waiting.
        return unknown(FailureKind.INVALID, message);
    }

    private static ConsulException ofServerError(String words, String message) {
        if (any(UNSURE, words)) {
            return unknown(FailureKind.UNAVAILABLE, message);
        } else if (any(SURELY_NOT, words)) {
            return notDone(FailureKind.UNAVAILABLE, message);
        } else if (any(DENIED, words)) {
            return notDone(FailureKind.DENIED, message);
        } else if (any(LIMITED, words)) {
            return notDone(FailureKind.LIMITED, message);
        } else if (any(WRONG, words)) {
            return notDone(FailureKind.INVALID, message);
        }
        return unknown(FailureKind.UNAVAILABLE, message);
    }

    /** For a 409 of a transaction. */
    static TxnOutcome ofObstacles(List<Obstacle> obstacles) {
        for (Obstacle obstacle : obstacles) {
            String message = "Consul refused operation " + obstacle.operation() + ": " + obstacle.what();
            if (obstacle.isDenied()) {
                return new TxnOutcome.NotDone(notDone(FailureKind.DENIED, message));
            } else if (obstacle.isMalformed()) {
                return new TxnOutcome.NotDone(notDone(FailureKind.INVALID, message));
            }
        }
        return new TxnOutcome.Conflict(obstacles);
    }

    /** For a request without an answer. */
    static ConsulException ofFailure(Throwable failure, boolean sent, boolean closed) {
        boolean tooLarge = failure instanceof BoundedHttpClient.AnswerTooLargeException;
        FailureKind kind = closed ? FailureKind.CLOSED : tooLarge ? FailureKind.INVALID : FailureKind.UNAVAILABLE;
        String message = closed
                ? "the client of Consul has been closed"
                : (sent ? "no answer from Consul: " : "Consul cannot be reached: ") + reason(failure);
        return new ConsulException(kind, sent ? Effect.UNKNOWN : Effect.NOT_DONE, message, failure);
    }

    private static String reason(Throwable failure) {
        String name = failure.getClass().getSimpleName();
        return failure.getMessage() == null ? name : name + ": " + failure.getMessage();
    }

    /** For an answer that should be what was asked for, but cannot be understood. */
    static ConsulException ofNonsense(Exception cause) {
        return new ConsulException(
                FailureKind.INVALID, Effect.UNKNOWN, "Consul's answer is not understood: " + cause.getMessage(), cause);
    }

    static TxnOutcome outcome(ConsulException failure) {
        return switch (failure.effect()) {
            case NOT_DONE -> new TxnOutcome.NotDone(failure);
            case UNKNOWN -> new TxnOutcome.Unknown(failure);
        };
    }

    private static boolean any(List<String> texts, String words) {
        return texts.stream().anyMatch(words::contains);
    }

    private static ConsulException notDone(FailureKind kind, String message) {
        return new ConsulException(kind, Effect.NOT_DONE, message);
    }

    private static ConsulException unknown(FailureKind kind, String message) {
        return new ConsulException(kind, Effect.UNKNOWN, message);
    }
}
