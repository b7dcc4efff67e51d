package io.flockgate.testsupport;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Sends signals to other processes. */
public final class Signals {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private Signals() {}

    /**
     * Sends a signal, to one after the other without a pause.
     *
     * @param name as {@code kill} knows it, without SIG
     * @param pids the processes; a negative number means a process group
     * @throws IllegalStateException if there is no such process
     */
    public static void send(String name, long... pids) {
        List<String> kill = new ArrayList<>(List.of("/bin/sh", "-c", "kill -\"$0\" \"$@\"", name));
        for (long pid : pids) {
            kill.add(Long.toString(pid));
        }
        try {
            Process process = new ProcessBuilder(kill).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IllegalStateException("signal " + name + ": " + output);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /**
     * Sends SIGSTOP and waits until it has stopped every thread: {@code kill} returns before that,
     * and a thread that is running on another processor may still finish its current work.
     *
     * @throws IllegalStateException if there is no such process, or if it has not stopped after 10
     *     s
     */
    public static void pause(long pid) {
        send("STOP", pid);
        long start = System.nanoTime();
        while (!stopped(pid)) {
            if (System.nanoTime() - start > PATIENCE_NANOS) {
                throw new IllegalStateException("process " + pid + " does not stop");
            }
            try {
                Thread.sleep(1);
            } catch (InterruptedException e) {
                throw interrupted(e);
            }
        }
    }

    private static IllegalStateException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new IllegalStateException("interrupted during a signal", e);
    }

    /** Whether every thread of the process is stopped. */
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

    /**
     * The letter after the command's name, which is in parentheses and may itself contain
     * parentheses.
     */
    private static char state(Path thread) throws IOException {
        String line = Files.readString(thread.resolve("stat"));
        return line.charAt(line.lastIndexOf(')') + 2);
    }
}
