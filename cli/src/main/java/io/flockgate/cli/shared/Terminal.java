package io.flockgate.cli.shared;

import java.io.Console;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The terminal of this process. */
public final class Terminal {
    private static final Path SELF = Path.of("/proc/self/stat");
    private static final int GROUP = 2;
    private static final int TERMINAL = 4;
    private static final int FOREGROUND = 5;

    private Terminal() {}

    /**
     * Returns whether a terminal sends its signals to the process group of this process. The
     * command is in the same group, so it has received a terminal's INT, HUP or WINCH itself.
     */
    public static boolean isInForeground() {
        try {
            String stat = Files.readString(SELF);
            // After the name, which may contain anything: state, parent, group, session, terminal,
            // foreground group.
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            return !fields[TERMINAL].equals("0") && fields[GROUP].equals(fields[FOREGROUND]);
        } catch (IOException | RuntimeException e) {
            // Not Linux: a process with a terminal was most likely started from it.
            return isConsole();
        }
    }

    /** Returns whether standard error is a terminal. */
    public static boolean seesErrors() {
        return isTerminal(2);
    }

    /** Returns whether standard output is a terminal. */
    public static boolean seesOutput() {
        return isTerminal(1);
    }

    private static boolean isTerminal(int descriptor) {
        try {
            Path target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor));
            return target.toString().matches("/dev/(pts/.*|tty.*|console)");
        } catch (IOException | RuntimeException e) {
            return isConsole();
        }
    }

    private static boolean isConsole() {
        return Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false);
    }
}
