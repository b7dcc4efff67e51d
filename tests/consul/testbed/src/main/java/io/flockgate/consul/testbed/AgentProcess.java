package io.flockgate.consul.testbed;

import io.flockgate.testsupport.Polling;
import io.flockgate.testsupport.Signals;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One agent's process, which does not outlive this JVM. Thread-safe.
 *
 * <p>A shell starts a watcher and becomes the agent. The watcher reads a pipe whose other end only
 * this JVM holds. When the JVM ends, however it ends, the watcher kills the agent and removes its
 * directory. A line in the pipe ends the watcher before an agent that may be restarted is killed.
 * The watcher recognises the agent by the directory's name in its command line, so that it kills no
 * later process with the same number.
 */
final class AgentProcess {
    private static final String LAUNCH = """
            dir=$1; shift
            exec 3<&0
            (if read -r _ <&3; then exit; fi
             if grep -qF -- "$dir" "/proc/$$/cmdline"; then kill -9 $$; sleep 0.2; rm -rf -- "$dir"; fi) >/dev/null 2>&1 &
            exec "$@" </dev/null 3<&-
            """;

    private static final int TAIL_LINES = 40;
    private static final Duration LEAVING = Duration.ofSeconds(30);

    private final Path directory;
    private final List<String> command;
    private @Nullable Process process;
    private boolean paused;

    AgentProcess(Path directory, List<String> command) {
        this.directory = directory;
        this.command = List.copyOf(command);
    }

    synchronized void start() {
        if (running()) {
            throw new IllegalStateException("the agent is running");
        }
        paused = false;
        List<String> line = new ArrayList<>(List.of("/bin/sh", "-c", LAUNCH, "sh", directory.toString()));
        line.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(line).redirectErrorStream(true);
        builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()));
        Commands.clean(builder.environment());
        try {
            process = builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    synchronized boolean running() {
        return process != null && process.isAlive();
    }

    /** True while the agent runs and is not paused. */
    synchronized boolean answering() {
        return running() && !paused;
    }

    synchronized long pid() {
        if (process == null) {
            throw new IllegalStateException("not started");
        }
        return process.pid();
    }

    /** Kills the process, even if it is paused, and waits for its end. */
    synchronized void kill() {
        if (process != null) {
            endWatcher(process);
            process.destroyForcibly();
            Polling.until("the agent ends", () -> !running());
        }
    }

    /**
     * Ends the watcher. It would otherwise see the pipe close while the agent dies, and remove
     * files that a restart needs.
     */
    private static void endWatcher(Process process) {
        try (OutputStream pipe = process.getOutputStream()) {
            pipe.write('\n');
        } catch (IOException e) {
            // The watcher has ended already.
        }
    }

    synchronized void terminate() {
        requireRunning();
        Signals.send("TERM", pid());
    }

    void awaitEnd() {
        boolean unused = Polling.until(LEAVING, this::running, running -> !running);
    }

    synchronized void pause() {
        requireRunning();
        Signals.pause(pid());
        paused = true;
    }

    synchronized void resume() {
        requireRunning();
        Signals.send("CONT", pid());
        paused = false;
    }

    /**
     * @throws IllegalStateException if it is not running, with the end of its log
     */
    void requireRunning() {
        if (!running()) {
            throw new IllegalStateException("the agent is not running:\n" + logTail());
        }
    }

    Path log() {
        return directory.resolve("log");
    }

    String logTail() {
        try {
            List<String> lines = Files.readAllLines(log());
            return String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
        } catch (IOException e) {
            return "(no log: " + e + ")";
        }
    }
}
