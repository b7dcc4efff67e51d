package io.flockgate.client;

/**
 * The server refuses this client: the token is wrong or missing, or lacks the right. Nothing is
 * held.
 */
public class LeaseAuthException extends LeaseException {
    private static final long serialVersionUID = 1L;

    /** A refusal with this message. */
    public LeaseAuthException(String message) {
        super(message, null);
    }
}
