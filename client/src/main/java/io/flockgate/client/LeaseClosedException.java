package io.flockgate.client;

/** The lease or its provider was closed. */
public class LeaseClosedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    /** A failure with these words. */
    public LeaseClosedException(String message) {
        super(message);
    }
}
