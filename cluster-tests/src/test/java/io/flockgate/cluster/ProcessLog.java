package io.flockgate.cluster;

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

/** The last lines that a process has written. Read all the time, so that the process never waits for a reader. Thread-safe. */
final class ProcessLog {
    private static final int LINES = 2_000;
    private static final int TAIL_LINES = 60;

    private final Deque<String> lines = new ArrayDeque<>();
    private final List<Consumer<String>> listeners = new CopyOnWriteArrayList<>();
    private boolean ended;

    ProcessLog(InputStream stream) {
        Thread unused = Thread.ofVirtual().name("process-log").start(() -> read(stream));
    }

    private void read(InputStream stream) {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                add(line);
                String heard = line;
                listeners.forEach(each -> each.accept(heard));
            }
        } catch (IOException e) {
            add("(unreadable: " + e + ")");
        }
        end();
    }

    /** Told of each line from now on, on the reader's thread. */
    void listen(Consumer<String> listener) {
        listeners.add(listener);
    }

    private synchronized void add(String line) {
        if (lines.size() >= LINES) {
            lines.removeFirst();
        }
        lines.addLast(line);
        notifyAll();
    }

    private synchronized void end() {
        ended = true;
        notifyAll();
    }

    /** The first match, as soon as there is one. */
    synchronized Matcher await(Pattern pattern, Duration patience) throws InterruptedException {
        long giveUp = System.nanoTime() + patience.toNanos();
        while (true) {
            Matcher matcher = pattern.matcher(String.join("\n", lines));
            if (matcher.find()) {
                return matcher;
            }
            long left = TimeUnit.NANOSECONDS.toMillis(giveUp - System.nanoTime());
            if (ended || left <= 0) {
                throw new AssertionError("never logged: " + pattern + "\n" + tail());
            }
            wait(left);
        }
    }

    synchronized String tail() {
        return String.join(
                "\n",
                lines.stream().skip(Math.max(0, lines.size() - TAIL_LINES)).toList());
    }
}
