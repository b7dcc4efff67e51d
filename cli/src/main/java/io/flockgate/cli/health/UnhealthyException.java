package io.flockgate.cli.health;

/** The gateway does not work, or cannot be reached. The message is one line for the operator. */
final class UnhealthyException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnhealthyException(String message) {
        super(message, null, false, false);
    }
}
