package io.flockgate.testsupport;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Writes scripts that a test runs, and waits for programs. */
public final class Programs {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** How long a process is watched after its patience, before it counts as idle. */
    private static final Duration LOOK = Duration.ofSeconds(2);

    private static final int IDLE_PART = 100;
    private static final Duration MAX_PATIENCE = Duration.ofMinutes(10);

    private Programs() {}

    /**
     * Waits for the end of a program, for a minute or more.
     *
     * @return its exit status
     * @throws AssertionError if it does not end; the message names it
     */
    @CanIgnoreReturnValue
    public static int awaitEnd(Process process) throws InterruptedException {
        return awaitEnd(process, PATIENCE, () -> process.info().commandLine().orElse("process " + process.pid()));
    }

    /**
     * Waits for the end of a program. One that is not idle is waited for until it has had its
     * patience in processor time, which takes longer on a busy machine.
     *
     * @param what describes the program if it does not end
     */
    static int awaitEnd(Process process, Duration patience, Supplier<String> what) throws InterruptedException {
        QuickBuild.refusePrograms();
        long last = System.nanoTime() + MAX_PATIENCE.toNanos();
        boolean ended = process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS);
        while (!ended) {
            Duration before = cpuTime(process);
            ended = process.waitFor(LOOK.toMillis(), TimeUnit.MILLISECONDS);
            Duration used = cpuTime(process);
            boolean idle = used.minus(before).abs().multipliedBy(IDLE_PART).compareTo(LOOK) < 0;
            if (!ended && (idle || used.compareTo(patience) > 0 || System.nanoTime() > last)) {
                throw new AssertionError("still running: " + what.get());
            }
        }
        return process.exitValue();
    }

    /** The processor time of it and its descendants. It falls when one of these ends. */
    private static Duration cpuTime(Process process) {
        return Stream.concat(Stream.of(process.toHandle()), process.descendants())
                .flatMap(each -> each.info().totalCpuDuration().stream())
                .reduce(Duration.ZERO, Duration::plus);
    }

    /**
     * Writes an executable file. Another process writes it: if this JVM did, a child that another
     * thread starts at the same time would inherit the open file for a moment, and Linux refuses to
     * run a file that is open for writing.
     */
    @CanIgnoreReturnValue
    public static Path write(Path path, String text) throws IOException {
        QuickBuild.refusePrograms();
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
