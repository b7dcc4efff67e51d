package io.flockgate.client;

/**
 * An option or an argument that cannot work. Nothing was sent, or the server refused the request;
 * nothing is held.
 */
public class LeaseConfigException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    /** A failure with this message. */
    public LeaseConfigException(String message) {
        super(message);
    }
}
