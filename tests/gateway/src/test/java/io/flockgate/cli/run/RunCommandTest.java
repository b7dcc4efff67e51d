package io.flockgate.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.LineClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code flockgate run} in this process, with real commands. */
@Tag("process")
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("one key")
class RunCommandTest {
    private static final String TOKEN = "a-token-for-tests-only";

    @AutoClose
    private static final TestGateway gateway = TestGateway.start("--auth-token=" + TOKEN);

    private final CommandRun command = new CommandRun();

    @TempDir
    Path directory;

    private int run(String token, String... args) {
        Map<String, String> environment =
                Map.of("FLOCKGATE_SERVER", "127.0.0.1:" + gateway.port(), "DFLOCKD_AUTH_TOKEN", token);
        return command.run(
                environment, Stream.concat(Stream.of("run"), Stream.of(args)).toList());
    }

    private void assertFree(String key) {
        assertThat(run(TOKEN, "--key", key, "--wait=0", "--", "true")).isZero();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "exit 0 | 0",
                "exit 3 | 3",
                "exit 74 | 74",
                "exit 255 | 255",
                "kill -KILL $$ | 137",
                "kill $$ | 143"
            })
    void theExitStatusIsThatOfTheCommandAsInAShell(String script, int status) {
        assertThat(run(TOKEN, "--key", "exit", "--", "sh", "-c", script)).isEqualTo(status);
        assertThat(command.errorOutput()).isEmpty();
        assertFree("exit");
    }

    @Test
    void argumentsArePassedAsTheyAre() throws Exception {
        Path file = directory.resolve("arguments");
        // With any other encoding Java cannot pass the last argument on, and the command refuses
        // it.
        boolean utf8 = "UTF-8".equals(System.getProperty("sun.jnu.encoding"));
        List<String> odd = List.of(
                "a b",
                "",
                "\"quoted\"",
                "'",
                "$HOME",
                "*",
                "line\nfeed",
                "\\",
                "--",
                "-x",
                utf8 ? "h\u00e9\u20ac" : "h");
        List<String> args = new ArrayList<>(
                List.of("--key", "args", "--", "sh", "-c", "printf '%s\\0' \"$@\" >\"$0\"", file.toString()));
        args.addAll(odd);

        assertThat(run(TOKEN, args.toArray(String[]::new))).isZero();

        assertThat(Files.readString(file)).isEqualTo(String.join("\0", odd) + "\0");
    }

    @Test
    void oneOfSeveralServersIsEnoughAndTheCommandFindsKeyTokenAndFence() throws Exception {
        Path file = directory.resolve("variables");
        String servers = "127.0.0.1:1,127.0.0.1:" + gateway.port();
        String script = "echo \"$FLOCKGATE_KEY $FLOCKGATE_LEASE_TOKEN $FLOCKGATE_FENCE\" >\"$0\"";

        assertThat(run(TOKEN, "--server", servers, "--key", "vars", "--", "sh", "-c", script, file.toString()))
                .isZero();

        String[] words = Files.readString(file).strip().split(" ", -1);
        assertThat(words[0]).isEqualTo("vars");
        assertThat(words[1]).matches("[0-9a-f]{32}");
        assertThat(words[2]).isEqualTo(Long.toUnsignedString(Long.parseUnsignedLong(words[1], 0, 16, 16)));
    }

    @Test
    void aKeyThatOthersHoldGivesStatus75() throws Exception {
        Path never = directory.resolve("never");
        try (LineClient holder = gateway.client()) {
            assertThat(holder.ask("auth", "_", TOKEN)).isEqualTo("ok");
            holder.lock("busy");
            assertThat(run(TOKEN, "--key=busy", "--wait=0", "--", "touch", never.toString()))
                    .isEqualTo(75);
            assertThat(command.errorOutput()).isEqualTo("flockgate run: not acquired: others hold busy\n");
            assertThat(run(TOKEN, "--key=busy", "--wait=200ms", "--not-acquired-status=9", "--json", "--", "true"))
                    .isEqualTo(9);
            assertThat(command.errorOutput()).contains("{\"event\":\"not_acquired\",\"key\":\"busy\"");
            assertThat(never).doesNotExist();
        }
        assertThat(run(TOKEN, "--key=busy", "--wait=30s", "--", "true")).isZero();
    }

    @Test
    void aCommandThatCannotRunGivesTheStatusOfAShell() throws Exception {
        Path text = Files.writeString(directory.resolve("text"), "no program");

        assertThat(run(TOKEN, "--key=missing", "--", "no-such-command-anywhere"))
                .isEqualTo(127);
        assertThat(command.errorOutput())
                .isEqualTo("flockgate run: cannot run \"no-such-command-anywhere\": no such command\n");
        assertThat(run(TOKEN, "--key=missing", "--", text.toString())).isEqualTo(126);
        assertThat(command.errorOutput()).contains("Permission denied").hasLineCount(1);
        assertFree("missing");
    }

    @Test
    void aWrongTokenIsToldWithoutTheToken() {
        assertThat(run("hidden-and-wrong", "--key=k", "--", "true")).isEqualTo(69);

        assertThat(command.errorOutput())
                .contains("does not accept the token", "--auth-token-file")
                .doesNotContain("hidden");
        assertFree("k");
    }
}
