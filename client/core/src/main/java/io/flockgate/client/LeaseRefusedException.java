package io.flockgate.client;

/**
 * The server refuses the claim because one of its limits is reached, such as the number of keys or
 * of waiters. Nothing is held, and another claim may succeed later. The message names the setting
 * of the gateway.
 */
public class LeaseRefusedException extends LeaseException {
    private static final long serialVersionUID = 1L;

    /** A refusal with this message. */
    public LeaseRefusedException(String message) {
        super(message, null);
    }
}
