package io.flockgate.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Signals;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** {@code flockgate} on a terminal, which {@code script} from util-linux provides. */
@Tag("process")
@Execution(ExecutionMode.CONCURRENT)
class TerminalTest {
    private static final byte CTRL_C = 3;

    private TestGateway gateway;

    @TempDir
    Path directory;

    @BeforeEach
    void start() {
        gateway = TestGateway.startWithHttp();
    }

    @AfterEach
    void stop() {
        gateway.close();
    }

    private Process onTerminal(String... args) throws IOException {
        List<String> java = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                "io.flockgate.gateway.Main");
        String line = Stream.concat(java.stream(), Stream.of(args))
                .map(word -> "'" + word.replace("'", "'\\''") + "'")
                .collect(Collectors.joining(" ", "exec env --default-signal=INT,HUP ", ""));
        // The user's login shell might be anything.
        ProcessBuilder builder = new ProcessBuilder("script", "-qefc", line, "/dev/null").redirectErrorStream(true);
        builder.environment().put("SHELL", "/bin/sh");
        builder.environment().put("DFLOCKD_PORT", "0");
        return builder.start();
    }

    private static void type(Process terminal, byte key) throws IOException {
        terminal.getOutputStream().write(key);
        terminal.getOutputStream().flush();
    }

    private static int exitStatus(Process terminal) throws InterruptedException {
        assertThat(terminal.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return terminal.exitValue();
    }

    @Test
    void controlCReachesTheCommandOnce() throws Exception {
        Path seen = directory.resolve("seen");
        String script = """
                trap "echo INT >>'$0'" INT
                trap "echo USR1 >>'$0'" USR1
                trap "exit 9" TERM
                echo $PPID >>"$0"; echo ready >>"$0"
                while :; do sleep 0.02; done
                """;
        Process terminal = onTerminal(
                "run", "--server=127.0.0.1:" + gateway.port(), "--key=k", "--", "sh", "-c", script, seen.toString());
        try {
            long wrapper = Long.parseLong(Waits.untilContains(seen, "ready").getFirst());
            type(terminal, CTRL_C);
            Waits.untilContains(seen, "INT");
            // Takes the same path as a second INT would, and arrives after it.
            Signals.send(wrapper, "USR1");
            Waits.untilContains(seen, "USR1");
            Signals.send(wrapper, "TERM");
            assertThat(exitStatus(terminal)).isEqualTo(9);
        } finally {
            terminal.destroyForcibly();
        }
        assertThat(Waits.lines(seen)).containsOnlyOnce("INT");
    }

    @Test
    void aWaitIsShownAndControlCEndsIt() throws Exception {
        try (LineClient holder = gateway.client()) {
            var unused = holder.lock("deploy", 0, 600);
            Process terminal = onTerminal("run", "--server=127.0.0.1:" + gateway.port(), "--key=deploy", "--", "true");
            try {
                awaitText(terminal, "waiting for deploy: 1st of 1, held by 127.0.0.1:");
                type(terminal, CTRL_C);
                assertThat(exitStatus(terminal)).isEqualTo(128 + 2);
            } finally {
                terminal.destroyForcibly();
            }
        }
    }

    @Test
    void aWaitIsShownWithPlaceAndHolder() throws Exception {
        try (LineClient holder = gateway.client();
                LineClient first = gateway.client();
                LineClient observer = gateway.client()) {
            assertThat(holder.ask("hello", "ci-7", "")).isEqualTo("ok");
            var unused = holder.lock("deploy", 0, 600);
            first.queueUp("deploy", observer, 1);
            Process terminal = onTerminal("run", "--server=127.0.0.1:" + gateway.port(), "--key=deploy", "--", "true");
            try {
                awaitText(terminal, "waiting for deploy: 2nd of 2, held by ci-7 for ");
                type(terminal, CTRL_C);
                assertThat(exitStatus(terminal)).isEqualTo(128 + 2);
                observer.awaitWaiters("deploy", 1);
            } finally {
                terminal.destroyForcibly();
            }
        }
    }

    @Test
    void aLockSaysThatItHoldsTheKeyAndControlCReleasesIt() throws Exception {
        Process terminal = onTerminal("lock", "--server=127.0.0.1:" + gateway.port(), "deploy");
        try (LineClient next = gateway.client();
                LineClient observer = gateway.client()) {
            awaitText(terminal, "flockgate lock: holding deploy until Ctrl-C or TERM");
            CompletableFuture<String> granted = next.askLater("l", "deploy", "60");
            observer.awaitWaiters("deploy", 1);
            type(terminal, CTRL_C);
            assertThat(granted.get(60, TimeUnit.SECONDS)).startsWith("ok ");
            assertThat(exitStatus(terminal)).isZero();
        } finally {
            terminal.destroyForcibly();
        }
    }

    @Test
    void withoutArgumentsTheCommandsAreListedAndTheServerStarts() throws Exception {
        Process terminal = onTerminal();
        try {
            awaitText(terminal, "  release     Releases a grant");
            awaitText(terminal, "msg=listening");
            type(terminal, CTRL_C);
            assertThat(exitStatus(terminal)).isZero();
        } finally {
            terminal.destroyForcibly();
        }
    }

    private static void awaitText(Process terminal, String wanted) throws Exception {
        CompletableFuture<Boolean> shown =
                CompletableFuture.supplyAsync(() -> readUntil(terminal.getInputStream(), wanted));
        assertThat(shown.get(60, TimeUnit.SECONDS)).as(wanted).isTrue();
    }

    /** Reads until the text has arrived; false if the output ends first. */
    private static boolean readUntil(InputStream in, String wanted) {
        StringBuilder text = new StringBuilder();
        try {
            int next = in.read();
            while (next >= 0) {
                text.append((char) next);
                if (text.indexOf(wanted) >= 0) {
                    return true;
                }
                next = in.read();
            }
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
