package io.flockgate.options;

import java.io.Serial;

/**
 * A command line or a setting that cannot be used. The message is for the operator and contains no
 * secret.
 */
public final class OptionException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1;

    private final String unknownFlag;

    public OptionException(String message) {
        this(message, "");
    }

    OptionException(String message, String unknownFlag) {
        super(message);
        this.unknownFlag = unknownFlag;
    }

    /**
     * The name of the given flag that is in no table, without dashes; empty for any other problem.
     */
    public String unknownFlag() {
        return unknownFlag;
    }

    public String text() {
        return String.valueOf(getMessage());
    }
}
