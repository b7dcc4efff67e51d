package io.flockgate.gateway.command;

/** A command that failed, with its exit status. */
final class CommandException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private static final int FAILED = 1;
    private static final int USAGE = 2;

    private final int status;

    private CommandException(int status, String message) {
        super(message, null, false, false);
        this.status = status;
    }

    /** The command line cannot be read. */
    static CommandException usage(String message) {
        return new CommandException(USAGE, message);
    }

    /** The gateway has not answered, or has refused. */
    static CommandException failed(String message) {
        return new CommandException(FAILED, message);
    }

    int status() {
        return status;
    }
}
