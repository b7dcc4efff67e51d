package io.flockgate.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
import io.flockgate.testsupport.Programs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Scanner;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
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

    @AutoClose
    private final TestGateway gateway = TestGateway.startWithHttp();

    @TempDir
    Path directory;

    /** A terminal on which the command runs. */
    private record Screen(Process process, Scanner output) implements AutoCloseable {
        void type(byte key) throws IOException {
            process.getOutputStream().write(key);
            process.getOutputStream().flush();
        }

        int exitStatus() throws InterruptedException {
            return Programs.awaitEnd(process);
        }

        void awaitText(String wanted) throws Exception {
            CompletableFuture<String> shown =
                    CompletableFuture.supplyAsync(() -> output.findWithinHorizon(Pattern.quote(wanted), 0));
            assertThat(shown).succeedsWithin(Polling.patience()).isEqualTo(wanted);
        }

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }

    private Screen run(String... args) throws IOException {
        return onTerminal(Stream.concat(
                        Stream.of(args[0], "--server=127.0.0.1:" + gateway.port()),
                        Stream.of(args).skip(1))
                .toArray(String[]::new));
    }

    private static Screen onTerminal(String... args) throws IOException {
        String line = Stream.concat(RunProcessTest.java().stream(), Stream.of(args))
                .map(word -> "'" + word.replace("'", "'\\''") + "'")
                .collect(Collectors.joining(" ", "exec env --default-signal=INT,HUP ", ""));
        // The user's login shell might be anything.
        ProcessBuilder builder = new ProcessBuilder("script", "-qefc", line, "/dev/null").redirectErrorStream(true);
        builder.environment().put("SHELL", "/bin/sh");
        builder.environment().put("DFLOCKD_PORT", "0");
        Process process = builder.start();
        return new Screen(process, new Scanner(process.getInputStream(), StandardCharsets.UTF_8));
    }

    @Test
    void aWaitIsShownWithPlaceAndHolderAndControlCEndsIt() throws Exception {
        try (LineClient holder = gateway.client();
                LineClient first = gateway.client();
                LineClient observer = gateway.client()) {
            assertThat(holder.ask("hello", "ci-7", "")).isEqualTo("ok");
            var unused = holder.lock("deploy", 0, 600);
            first.queueUp("deploy", observer, 1);
            try (Screen terminal = run("run", "--key=deploy", "--", "true")) {
                terminal.awaitText(": 2nd of 2, held by ci-7 for ");
                terminal.type(CTRL_C);
                assertThat(terminal.exitStatus()).isEqualTo(128 + 2);
                observer.awaitWaiters("deploy", 1);
            }
        }
    }

    @Test
    void aLockSaysThatItHoldsTheKeyAndControlCReleasesIt() throws Exception {
        try (Screen terminal = run("lock", "deploy", "--lease=1h");
                LineClient next = gateway.client();
                LineClient observer = gateway.client()) {
            terminal.awaitText("flockgate lock: holding deploy until Ctrl-C or TERM");
            CompletableFuture<String> granted = next.askLater("l", "deploy", "60");
            observer.awaitWaiters("deploy", 1);
            terminal.type(CTRL_C);
            assertThat(granted.get(60, TimeUnit.SECONDS)).startsWith("ok ");
            assertThat(terminal.exitStatus()).isZero();
        }
    }

    @Test
    void withoutArgumentsTheCommandsAreListedAndTheServerStarts() throws Exception {
        try (Screen terminal = onTerminal()) {
            terminal.awaitText("  release     Releases a grant");
            terminal.awaitText("msg=listening");
            terminal.type(CTRL_C);
            assertThat(terminal.exitStatus()).isZero();
        }
    }
}
