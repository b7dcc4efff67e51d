package io.flockgate.client.http;

import org.jspecify.annotations.Nullable;

/** A request without an answer. */
public final class HttpFailure extends Exception {
    private static final long serialVersionUID = 1L;

    /** The kinds of failures. */
    public enum Kind {
        /** The time had expired before the request could be sent. */
        NO_TIME(false),
        /** The server cannot be reached. */
        UNREACHED(false),
        /** The connection ended before the answer, or the answer is too long. */
        BROKEN(true),
        /** No answer arrived in time. */
        LATE(true),
        /** The caller has stopped waiting. */
        STOPPED(true);

        private final boolean sent;

        Kind(boolean sent) {
            this.sent = sent;
        }
    }

    private final Kind kind;

    HttpFailure(Kind kind, @Nullable Throwable cause) {
        super(cause == null ? kind.name() : Reasons.of(cause), cause);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }

    /** Whether the server may have carried out the request, or may do so later. */
    public boolean maybeSent() {
        return kind.sent;
    }

    /** The failure of the connection; this failure itself if there was none. */
    public Throwable reason() {
        Throwable cause = getCause();
        return cause == null ? this : cause;
    }
}
