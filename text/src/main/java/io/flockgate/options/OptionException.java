package io.flockgate.options;

import java.io.Serial;

/**
 * A command line or a setting that cannot be used. The message is for the operator and contains no
 * secret.
 */
public final class OptionException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1;

    public OptionException(String message) {
        super(message);
    }

    public String text() {
        return String.valueOf(getMessage());
    }
}
