package io.flockgate.client;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The server did not confirm a release. This process no longer holds the slot, but the server may
 * still consider it held.
 */
public class LeaseReleaseException extends LeaseException {
    private static final long serialVersionUID = 1L;

    private final Instant freeAt;

    /** A failure with this message; see {@link #freeAt()}. */
    public LeaseReleaseException(String message, Instant freeAt, @Nullable Throwable cause) {
        super(message, cause);
        this.freeAt = freeAt;
    }

    /**
     * An estimate of the time by which the server ends the grant itself, by the wall clock of this
     * process.
     */
    public Instant freeAt() {
        return freeAt;
    }
}
