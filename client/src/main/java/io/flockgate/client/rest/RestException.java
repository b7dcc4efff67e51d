package io.flockgate.client.rest;

import io.flockgate.client.LeaseException;
import io.flockgate.client.LeaseRefusedException;
import io.flockgate.client.LeaseUnavailableException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A request without a usable answer. Another attempt may get one. */
final class RestException extends Exception {
    private static final long serialVersionUID = 1L;

    /** What to do before another attempt. */
    enum Kind {
        /** The session has ended: take another. */
        SESSION_GONE,
        /** The server cannot serve: ask another. */
        ELSEWHERE,
        /** The server is too busy: ask it later. */
        LATER,
        /** The caller has given up: do not try again. */
        GIVEN_UP
    }

    private final Kind kind;
    private final boolean maybeDone;
    private final transient Duration pause;
    private final @Nullable LeaseRefusedException refusal;

    /**
     * A failure.
     *
     * @param maybeDone false if the server has certainly not carried out the request
     */
    RestException(Kind kind, boolean maybeDone, String message, @Nullable Throwable cause) {
        this(kind, maybeDone, Duration.ZERO, message, cause, null);
    }

    private RestException(
            Kind kind,
            boolean maybeDone,
            Duration pause,
            String message,
            @Nullable Throwable cause,
            @Nullable LeaseRefusedException refusal) {
        // Callers get the cause, which must not be of this package.
        super(message, cause instanceof RestException inner ? inner.getCause() : cause);
        this.refusal = refusal;
        this.kind = kind;
        this.maybeDone = maybeDone;
        this.pause = pause;
    }

    /** A refusal of a server that is too busy, with the time after which it may be asked again. */
    static RestException later(String message, Duration pause) {
        return new RestException(Kind.LATER, false, pause, message, null, null);
    }

    /**
     * A refusal of a server whose limit is reached, with the time after which it may be asked
     * again.
     */
    static RestException refused(LeaseRefusedException refusal, Duration pause) {
        return new RestException(Kind.LATER, false, pause, String.valueOf(refusal.getMessage()), null, refusal);
    }

    /** The same failure as a failure to begin a session, in which nothing was claimed. */
    RestException asBeginning(Kind other, String message) {
        return new RestException(other, false, Duration.ZERO, message, this, refusal);
    }

    Kind kind() {
        return kind;
    }

    boolean maybeDone() {
        return maybeDone;
    }

    /** True if a limit of the server is reached. */
    boolean isRefusal() {
        return refusal != null;
    }

    /** The pause that the server requested; zero if it requested none. */
    Duration pause() {
        return pause;
    }

    LeaseException failure() {
        return failure(maybeDone);
    }

    /**
     * The failure for callers, given whether the server may hold the slot for them or certainly
     * does not.
     */
    LeaseException failure(boolean mayHold) {
        return refusal != null && !mayHold
                ? refusal
                : new LeaseUnavailableException(String.valueOf(getMessage()), mayHold, getCause());
    }
}
