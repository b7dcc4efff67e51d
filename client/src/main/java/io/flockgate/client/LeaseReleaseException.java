package io.flockgate.client;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The server could not be told of a release. This process does not hold the slot any more, but
 * nobody else may have it yet.
 */
public class LeaseReleaseException extends LeaseException {
    private static final long serialVersionUID = 1L;

    private final Instant freeAt;

    /** A failure with these words; see {@link #freeAt()}. */
    public LeaseReleaseException(String message, Instant freeAt, @Nullable Throwable cause) {
        super(message, cause);
        this.freeAt = freeAt;
    }

    /**
     * The time by which the server ends the grant itself, by the wall clock of this process. An
     * estimate.
     */
    public Instant freeAt() {
        return freeAt;
    }
}
