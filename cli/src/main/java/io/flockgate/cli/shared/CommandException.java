package io.flockgate.cli.shared;

/** A command that failed, with its exit status. */
public final class CommandException extends RuntimeException {
    public static final String OUTPUT_LOST = "cannot write to standard output: is its disk full, or its reader gone?";

    private static final long serialVersionUID = 1L;
    private static final int FAILED = 1;
    private static final int USAGE = 2;

    private final int status;

    private CommandException(int status, String message) {
        super(message, null, false, false);
        this.status = status;
    }

    /** The command line cannot be read. */
    public static CommandException usage(String message) {
        return new CommandException(USAGE, message);
    }

    /** The gateway did not answer, or refused. */
    public static CommandException failed(String message) {
        return new CommandException(FAILED, message);
    }

    /** A failure with its own exit status. */
    public static CommandException withStatus(int status, String message) {
        return new CommandException(status, message);
    }

    public int status() {
        return status;
    }
}
