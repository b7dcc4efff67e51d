package io.flockgate.client.rest;

import io.flockgate.client.LeaseUnavailableException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A request that has no useful answer. Another try may have one. */
final class RestException extends Exception {
    private static final long serialVersionUID = 1L;

    /** What to do before another try. */
    enum Kind {
        /** The session has ended: take another. */
        SESSION_GONE,
        /** The server cannot serve: ask another. */
        ELSEWHERE,
        /** The server is too busy: ask it later. */
        LATER,
        /** The caller has given up: try no more. */
        GIVEN_UP
    }

    private final Kind kind;
    private final boolean maybeDone;
    private final transient Duration pause;

    /**
     * A failure.
     *
     * @param maybeDone false if the server has certainly not carried out the request
     */
    RestException(Kind kind, boolean maybeDone, String message, @Nullable Throwable cause) {
        this(kind, maybeDone, Duration.ZERO, message, cause);
    }

    private RestException(Kind kind, boolean maybeDone, Duration pause, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = kind;
        this.maybeDone = maybeDone;
        this.pause = pause;
    }

    /** A refusal of a server that is too busy, with the time after which it may be asked again. */
    static RestException later(String message, Duration pause) {
        return new RestException(Kind.LATER, false, pause, message, null);
    }

    Kind kind() {
        return kind;
    }

    boolean maybeDone() {
        return maybeDone;
    }

    /** The time that the server wants to be left alone; zero if it did not say. */
    Duration pause() {
        return pause;
    }

    LeaseUnavailableException unavailable() {
        return unavailable(maybeDone);
    }

    LeaseUnavailableException unavailable(boolean mayHold) {
        return new LeaseUnavailableException(String.valueOf(getMessage()), mayHold, getCause());
    }
}
