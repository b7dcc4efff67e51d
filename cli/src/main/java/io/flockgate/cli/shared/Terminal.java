package io.flockgate.cli.shared;

import java.io.Console;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The terminal of this process. */
public final class Terminal {
    private Terminal() {}

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
