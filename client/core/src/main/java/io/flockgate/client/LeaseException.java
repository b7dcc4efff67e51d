package io.flockgate.client;

import org.jspecify.annotations.Nullable;

/** A failure of a lease. Contention is not a failure. */
public class LeaseException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** A failure with this message and cause. */
    public LeaseException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
