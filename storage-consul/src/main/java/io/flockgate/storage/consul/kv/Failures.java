package io.flockgate.storage.consul.kv;

import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.kv.TxnOutcome.Obstacle;
import java.util.List;

/**
 * Classifies failed requests. The effect of a request is unknown unless the answer or the failure
 * proves that Consul has not carried it out and never will.
 */
public final class Failures {
    /**
     * Texts of errors after which a write may have taken effect. They take precedence over the
     * texts below.
     */
    private static final List<String> UNSURE = List.of("leadership lost while committing log");

    /** Texts of errors that occur before a write enters the log of any server. */
    private static final List<String> SURELY_NOT = List.of(
            "No cluster leader",
            "No known Consul servers",
            "timed out enqueuing operation",
            "node is not the leader",
            "leadership transfer in progress",
            "rpc error getting client: ",
            "failed to get conn: ");

    private static final List<String> DENIED = List.of("Permission denied", "ACL not found");

    private static final List<String> LIMITED =
            List.of("rate limit exceeded", "try again later", "too many concurrent connections");

    /**
     * Texts of errors with status 500 by which Consul refuses a request before it writes anything.
     */
    private static final List<String> WRONG = List.of(
            "invalid session ",
            "Invalid Session TTL ",
            "Missing check ",
            "Missing node registration",
            "is in critical state",
            "failed session lookup: ",
            "does not have associated TTL",
            "Unknown check");

    /** The text with which Consul 1.21.5 refuses the name of a key. */
    private static final String INVALID_NAME = "invalid key name";

    private static final int WORDS_LENGTH = 300;

    private Failures() {}

    /** The failure for an answer whose status is not the expected one. */
    public static ConsulException ofAnswer(int status, String words) {
        String message = meaning(status, words) + "Consul answered " + status + (words.isEmpty() ? "" : ": " + words);
        if (status == 401 || status == 403) {
            return notDone(FailureKind.DENIED, message);
        } else if (status == 429) {
            return notDone(FailureKind.LIMITED, message);
        } else if (status >= 500) {
            return ofServerError(words, message);
        } else if (status >= 300 && status != 408) {
            return notDone(FailureKind.INVALID, message);
        }
        // An unexpected status, or a proxy that has forwarded the request and no longer waits.
        return unknown(FailureKind.INVALID, message);
    }

    /** The beginning of an answer as one line of text. Some of Consul's answers are plain text. */
    public static String words(String answer) {
        String text = answer.substring(0, Math.min(answer.length(), WORDS_LENGTH));
        return text.replaceAll("\\p{Cntrl}+", " ").strip();
    }

    /**
     * An explanation, with a colon, of an answer whose status and words are not enough for an
     * operator; otherwise empty.
     */
    private static String meaning(int status, String words) {
        if (words.contains("No known Consul servers")) {
            return "Consul's agent has joined no server of its cluster (see its retry_join): ";
        } else if (words.contains("No cluster leader")) {
            return "Consul's servers have no leader (more than half of them must be up and reach each other): ";
        }
        return switch (status) {
            case 413 -> "too large for Consul, or for a proxy in front of it: ";
            case 429 -> "too many requests or connections for Consul (see limits in its configuration): ";
            case 502, 504 -> "a proxy in front of Consul does not reach it: ";
            default -> "";
        };
    }

    private static ConsulException ofServerError(String words, String message) {
        if (words.contains(INVALID_NAME)) {
            return notDone(
                    FailureKind.INVALID,
                    "this version of Consul refuses the name of a key. Use a prefix without '~'. " + message);
        } else if (any(UNSURE, words)) {
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

    /** The outcome for status 409 of a transaction. */
    public static TxnOutcome ofObstacles(List<Obstacle> obstacles) {
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

    /** The failure for an answer that has the expected status but cannot be read. */
    public static ConsulException ofInvalidAnswer(Exception cause) {
        return new ConsulException(
                FailureKind.INVALID, Effect.UNKNOWN, "Consul's answer cannot be read: " + cause.getMessage(), cause);
    }

    /** The failure of a transaction as its outcome. */
    public static TxnOutcome outcome(ConsulException failure) {
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
