package io.flockgate.consul.testbed;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Signals to other processes. */
public final class Signals {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private Signals() {}

    /**
     * Sends a signal.
     *
     * @param name as {@code kill} knows it, without SIG
     * @throws IllegalStateException if there is no such process
     */
    public static void send(long pid, String name) {
        CliResult result = Commands.run(
                new ProcessBuilder("/bin/sh", "-c", "kill -\"$1\" \"$2\"", "sh", name, Long.toString(pid)));
        if (result.exitCode() != 0) {
            throw new IllegalStateException("signal " + name + ": " + result.output());
        }
    }

    /**
     * Sends SIGSTOP and waits until it has stopped every thread: {@code kill} returns before that, and a thread that is on another
     * processor just then may still finish what it is doing.
     *
     * @throws IllegalStateException if there is no such process, or if it has not stopped after 10 s
     */
    public static void pause(long pid) {
        send(pid, "STOP");
        long start = System.nanoTime();
        while (!stopped(pid)) {
            if (System.nanoTime() - start > PATIENCE_NANOS) {
                throw new IllegalStateException("process " + pid + " does not stop");
            }
            try {
                Thread.sleep(1);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while a process was stopping", e);
            }
        }
    }

    /** Whether every thread of the process stands still. */
    static boolean stopped(long pid) {
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc", Long.toString(pid), "task"))) {
            for (Path thread : threads) {
                if (state(thread) != 'T') {
                    return false;
                }
            }
            return true;
        } catch (NoSuchFileException e) {
            throw new IllegalStateException("process " + pid + " has ended", e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The letter after the command's name, which is in parentheses and may itself hold any. */
    private static char state(Path thread) throws IOException {
        String line = Files.readString(thread.resolve("stat"));
        return line.charAt(line.lastIndexOf(')') + 2);
    }
}
