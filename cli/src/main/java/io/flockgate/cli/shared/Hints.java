package io.flockgate.cli.shared;

import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseException;
import java.util.List;
import java.util.Locale;

/** Hints on what a user can set when a server cannot be reached or does not serve. Pure. */
public final class Hints {
    private static final String SERVER = ConnectionOptions.SERVER_OPTION;
    private static final String MAYBE_TLS = ". If the gateway has TLS, set " + SERVER + " to flockgates:// or https://";

    /** The first one whose words are in the message applies. */
    private static final List<Hint> HINTS = List.of(
            new Hint(
                    "connection refused",
                    ". Is a gateway running there (for http://, with --http-port)? Otherwise set " + SERVER),
            new Hint("certificate is not trusted", ": set --ca-file or FLOCKGATE_CA_FILE"),
            new Hint("does not accept the token", ": see --auth-token-file"),
            new Hint("does not speak", ". Is " + SERVER + " right?"),
            new Hint("no connection", ". Is " + SERVER + " right?"),
            new Hint("connection was closed", MAYBE_TLS),
            new Hint("closed the connection", MAYBE_TLS));

    private static final String NO_ANSWER = "no answer";

    private record Hint(String words, String text) {}

    private Hints() {}

    /** The server and the reason, after {@code no answer from}. */
    static String withReason(String server, String reason) {
        return server + (reason.startsWith(NO_ANSWER) ? reason.substring(NO_ANSWER.length()) : ": " + reason);
    }

    /** The message of a failed stage of the Java client, with a hint. */
    public static String message(Throwable failed) {
        return added(reason(failed));
    }

    /** The message of a failed stage of the Java client. */
    static String reason(Throwable failed) {
        Throwable cause = failed.getCause() == null ? failed : failed.getCause();
        boolean known = cause instanceof LeaseException || cause instanceof LeaseConfigException;
        return known ? String.valueOf(cause.getMessage()) : cause.toString();
    }

    /** The message of a failure, followed by a hint unless the message is a question. */
    public static String added(String message) {
        if (message.endsWith("?")) {
            return message;
        }
        String lower = message.toLowerCase(Locale.ROOT);
        return HINTS.stream()
                .filter(hint -> lower.contains(hint.words()))
                .findFirst()
                .map(hint -> message + hint.text())
                .orElse(message);
    }
}
