package io.flockgate.client;

/**
 * An option or an argument that cannot work. Nothing was sent, or the server refused it; nothing is
 * held.
 */
public class LeaseConfigException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    /** A failure with these words. */
    public LeaseConfigException(String message) {
        super(message);
    }
}
