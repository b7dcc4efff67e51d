package io.flockgate.cli.run;

import io.flockgate.cli.shared.CommandException;
import java.io.IOException;
import java.util.Optional;
import java.util.regex.Pattern;

/** Exit statuses of commands that hold a lease. */
final class Statuses {
    /** The server cannot be reached, or refuses: EX_UNAVAILABLE of sysexits. */
    static final int UNAVAILABLE = 69;

    /** The lease was lost, and a process of the command cannot be ended: EX_OSERR. */
    static final int NOT_ENDED = 71;

    /** The lease was lost: EX_IOERR. */
    static final int LOST = 74;

    /** Others hold the key: EX_TEMPFAIL. */
    static final int NOT_ACQUIRED = 75;

    static final int NOT_EXECUTABLE = 126;
    static final int NOT_FOUND = 127;

    /** Added to the number of the signal that has ended a process. */
    static final int SIGNALLED = 128;

    /** As Java reports the end of the helper by which it starts a program. */
    private static final Pattern HELPER_ENDED = Pattern.compile("spawn helper: pid: \\d+, signal: (\\d+)");

    private Statuses() {}

    /**
     * The failure of a start if a signal to the process group has ended Java's helper before it
     * became the program. Empty for any other failure.
     */
    static Optional<CommandException> endedBySignal(IOException e) {
        return HELPER_ENDED
                .matcher(String.valueOf(e.getMessage()))
                .results()
                .findFirst()
                .map(ended -> ended.group(1))
                .map(number -> CommandException.withStatus(
                        SIGNALLED + Integer.parseInt(number),
                        "ended by signal " + number + " before the command had started"));
    }
}
