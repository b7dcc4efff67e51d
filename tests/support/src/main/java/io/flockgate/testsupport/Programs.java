package io.flockgate.testsupport;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Writes scripts that a test runs, and waits for programs. */
public final class Programs {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private Programs() {}

    /**
     * Waits for the end of a program, longer on a busy machine.
     *
     * @return its exit status
     * @throws AssertionError if it does not end; the message names it
     */
    @CanIgnoreReturnValue
    public static int awaitEnd(Process process) throws InterruptedException {
        Duration patience = Polling.patience(PATIENCE);
        if (!process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
            String name = process.info().commandLine().orElse("process " + process.pid());
            throw new AssertionError("still running after " + patience.toSeconds() + " s: " + name);
        }
        return process.exitValue();
    }

    /**
     * Writes an executable file. Another process writes it: if this JVM did, a child that another
     * thread starts at the same time would inherit the open file for a moment, and Linux refuses to
     * run a file that is open for writing.
     */
    @CanIgnoreReturnValue
    public static Path write(Path path, String text) throws IOException {
        Files.createDirectories(path.toAbsolutePath().getParent());
        Process copy = new ProcessBuilder("/bin/sh", "-c", "cat >\"$0\" && chmod 755 \"$0\"", path.toString())
                .inheritIO()
                .redirectInput(ProcessBuilder.Redirect.PIPE)
                .start();
        try (OutputStream out = copy.getOutputStream()) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
        try {
            if (copy.waitFor() != 0) {
                throw new IOException("cannot write " + path);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
        return path;
    }
}
