package io.flockgate.client;

import org.jspecify.annotations.Nullable;

/** A failure of a lease. Contention is never one. */
public class LeaseException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** A failure with these words and what caused it. */
    public LeaseException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
