package io.flockgate.cli.run;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.testsupport.Polling;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/** Waits for what other processes do. */
final class Waits {
    private Waits() {}

    /** The complete lines of a file, once this one is among them. */
    @CanIgnoreReturnValue
    static List<String> untilContains(Path file, String line) throws IOException {
        return Polling.until(() -> lines(file), lines -> lines.contains(line));
    }

    static List<String> lines(Path file) throws IOException {
        try {
            String text = Files.readString(file);
            return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
        } catch (NoSuchFileException e) {
            return List.of();
        }
    }

    /** Returns when the process has ended. A container's first process may leave it as a zombie. */
    static void untilEnded(long pid) {
        Polling.until("process " + pid + " ends", () -> hasEnded(pid));
    }

    static boolean hasEnded(long pid) {
        return ProcessHandle.of(pid).isEmpty() || Processes.hasEnded(pid);
    }
}
