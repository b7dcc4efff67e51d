package io.flockgate.gateway.tcp;

import io.flockgate.gateway.session.Outcome.Plain;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** The first word of a reply, and the only word of most replies (line protocol, "Replies"). */
@SuppressWarnings("ImmutableEnumChecker") // its arrays are never changed
enum ReplyWord {
    OK,
    ACQUIRED,
    QUEUED,
    TIMEOUT,
    ERROR,
    ERROR_AUTH,
    ERROR_NOT_HELD,
    ERROR_MAX_LOCKS,
    ERROR_MAX_HOLDERS,
    ERROR_MAX_HOLDERS_PER_CLIENT,
    ERROR_MAX_WAITERS,
    ERROR_MAX_ENQUEUED,
    ERROR_MAX_ENQUEUED_PER_CLIENT,
    ERROR_LIMIT_MISMATCH,
    ERROR_NOT_ENQUEUED,
    ERROR_ALREADY_ENQUEUED,
    ERROR_LEASE_EXPIRED,
    ERROR_DRAINING;

    private final String text = name().toLowerCase(Locale.ROOT);

    /** The word as the whole reply. Not to be changed. */
    final byte[] line = (text + "\n").getBytes(StandardCharsets.US_ASCII);

    /** The word followed by more. Not to be changed. */
    final byte[] beginning = (text + " ").getBytes(StandardCharsets.US_ASCII);

    String text() {
        return text;
    }

    /** The word for an outcome, depending on whether the client has requested reasons. */
    static ReplyWord of(Plain outcome, boolean reasons) {
        return reasons && outcome == Plain.NOT_HELD ? ERROR_NOT_HELD : of(outcome);
    }

    static ReplyWord of(Plain outcome) {
        return switch (outcome) {
            case QUEUED -> QUEUED;
            case TIMEOUT -> TIMEOUT;
            case RELEASED -> OK;
            case NOT_HELD, CANCELLED, OVERLOADED -> ERROR;
            case LEASE_EXPIRED -> ERROR_LEASE_EXPIRED;
            case NOT_ENQUEUED -> ERROR_NOT_ENQUEUED;
            case ALREADY_ENQUEUED -> ERROR_ALREADY_ENQUEUED;
            case MAX_LOCKS -> ERROR_MAX_LOCKS;
            case MAX_HOLDERS -> ERROR_MAX_HOLDERS;
            case MAX_HOLDERS_PER_CLIENT -> ERROR_MAX_HOLDERS_PER_CLIENT;
            case MAX_WAITERS -> ERROR_MAX_WAITERS;
            case MAX_ENQUEUED -> ERROR_MAX_ENQUEUED;
            case MAX_ENQUEUED_PER_CLIENT -> ERROR_MAX_ENQUEUED_PER_CLIENT;
            case LIMIT_MISMATCH -> ERROR_LIMIT_MISMATCH;
            case DRAINING -> ERROR_DRAINING;
        };
    }
}
