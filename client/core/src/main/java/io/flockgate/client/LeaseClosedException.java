package io.flockgate.client;

/** The lease or its provider was closed. */
public class LeaseClosedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    /** A failure with this message. */
    public LeaseClosedException(String message) {
        super(message);
    }
}
