package io.flockgate.testsupport;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The last lines of one stream of a process. A thread reads continuously, so that the process never
 * waits. Thread-safe.
 */
final class ProcessLog {
    private static final int LINES = 20_000;
    private static final int TAIL_LINES = 60;

    private final Deque<String> lines = new ArrayDeque<>();
    private final List<Consumer<String>> listeners = new CopyOnWriteArrayList<>();
    private final String command;
    private final Thread reader;
    private boolean ended;
    private boolean paused;

    /** @param command named in errors */
    ProcessLog(String command, InputStream stream) {
        this.command = command;
        // A virtual thread would keep a carrier while it reads a pipe, of which two cores have two.
        reader = Thread.ofPlatform().daemon().name("process-log").start(() -> read(stream));
    }

    private void read(InputStream stream) {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                add(line);
                awaitReading();
            }
        } catch (IOException e) {
            add("(unreadable: " + e + ")");
        }
        end();
    }

    /** Calls the listener with each line from now on, on the reader's thread. */
    void listen(Consumer<String> listener) {
        listeners.add(listener);
    }

    /** Stops or resumes reading. Output written meanwhile stays in the pipe. */
    synchronized void pause(boolean on) {
        paused = on;
        notifyAll();
    }

    private synchronized void awaitReading() {
        while (paused) {
            try {
                wait();
            } catch (InterruptedException e) {
                throw new IllegalStateException("nobody interrupts this thread", e);
            }
        }
    }

    private void add(String line) {
        synchronized (this) {
            if (lines.size() >= LINES) {
                lines.removeFirst();
            }
            lines.addLast(line);
            notifyAll();
        }
        listeners.forEach(each -> each.accept(line));
    }

    private synchronized void end() {
        ended = true;
        notifyAll();
    }

    /** The first match, as soon as there is one. */
    synchronized Matcher await(Pattern pattern, Duration patience) throws InterruptedException {
        long giveUp = System.nanoTime() + Polling.patience(patience).toNanos();
        while (true) {
            Matcher matcher = pattern.matcher(text());
            if (matcher.find()) {
                return matcher;
            }
            long left = TimeUnit.NANOSECONDS.toMillis(giveUp - System.nanoTime());
            if (ended || left <= 0) {
                throw new AssertionError(command + " never logged: " + pattern + "\n" + tail());
            }
            wait(left);
        }
    }

    synchronized String text() {
        return String.join("\n", lines) + (lines.isEmpty() ? "" : "\n");
    }

    /** Everything that was written, once the stream has ended. */
    String whole(Duration patience) throws InterruptedException {
        if (!reader.join(patience)) {
            throw new AssertionError("the stream of " + command + " does not end:\n" + text());
        }
        return text();
    }

    synchronized String tail() {
        return String.join(
                "\n",
                lines.stream().skip(Math.max(0, lines.size() - TAIL_LINES)).toList());
    }
}
