package io.flockgate.cli.run;

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

    private Statuses() {}
}
