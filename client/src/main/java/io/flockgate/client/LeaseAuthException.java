package io.flockgate.client;

/**
 * The server refuses this client: the token is wrong, missing, or has not the right. Nothing is
 * held.
 */
public class LeaseAuthException extends LeaseException {
    private static final long serialVersionUID = 1L;

    /** A refusal with these words. */
    public LeaseAuthException(String message) {
        super(message, null);
    }
}
