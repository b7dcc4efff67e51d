package io.flockgate.client.consul;

import io.flockgate.client.consul.ConsulException.Kind;
import java.net.ConnectException;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.util.List;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/**
 * Classifies failed requests. The effect of a request is unknown, unless the answer or the failure proves that Consul has not
 * carried it out and never will.
 */
final class Failures {
    private static final String UNSURE = "leadership lost while committing log";

    /** Texts of errors that occur before a write enters the log of any server. */
    private static final List<String> SURELY_NOT = List.of(
            "No cluster leader",
            "No known Consul servers",
            "timed out enqueuing operation",
            "node is not the leader",
            "leadership transfer in progress",
            "rpc error getting client: ",
            "failed to get conn: ",
            "rate limit exceeded",
            "try again later",
            "too many concurrent connections");

    /** Texts of errors by which Consul refuses a request before it writes anything. */
    private static final List<String> WRONG = List.of("Invalid Session TTL ", "invalid key name");

    private static final List<String> DENIED = List.of("Permission denied", "ACL not found");

    private static final int MAX_WORDS = 300;

    private Failures() {}

    /** The failure for an answer whose status is not the expected one. */
    static ConsulException ofAnswer(int status, String text) {
        String words = text.strip().length() > MAX_WORDS ? text.strip().substring(0, MAX_WORDS) : text.strip();
        String message = "Consul answered " + status + (words.isEmpty() ? "" : ": " + words);
        boolean unsure = words.contains(UNSURE);
        if (status == 401 || status == 403 || (status >= 500 && isDenied(words))) {
            return new ConsulException(Kind.DENIED, false, message, null);
        } else if (status == 429 || (!unsure && any(SURELY_NOT, words))) {
            return new ConsulException(Kind.UNAVAILABLE, false, message, null);
        } else if (!unsure && any(WRONG, words)) {
            return new ConsulException(Kind.INVALID, false, message, null);
        } else if (status >= 300 && status < 500 && status != 408) {
            return new ConsulException(Kind.INVALID, false, message, null);
        }
        return new ConsulException(Kind.UNAVAILABLE, true, message, null);
    }

    static boolean isDenied(String words) {
        return any(DENIED, words);
    }

    private static boolean any(List<String> texts, String words) {
        return texts.stream().anyMatch(words::contains);
    }

    /** The failure for a request without an answer. */
    static ConsulException ofFailure(URI agent, Throwable failure) {
        boolean unsent = isUnsent(failure);
        String message = (unsent ? "Consul cannot be reached at " : "no answer from Consul at ")
                + agent.getAuthority()
                + ": "
                + reason(failure);
        return new ConsulException(Kind.UNAVAILABLE, !unsent, message, failure);
    }

    private static boolean isUnsent(Throwable failure) {
        return failure instanceof ConnectException
                || failure instanceof HttpConnectTimeoutException
                || failure instanceof UnresolvedAddressException
                || failure instanceof UnknownHostException
                || failure instanceof SSLHandshakeException;
    }

    private static String reason(Throwable failure) {
        String message = failure.getMessage();
        Throwable cause = failure.getCause();
        return message != null || cause == null ? failure.getClass().getSimpleName() + words(message) : reason(cause);
    }

    private static String words(@Nullable String message) {
        return message == null ? "" : ": " + message;
    }
}
