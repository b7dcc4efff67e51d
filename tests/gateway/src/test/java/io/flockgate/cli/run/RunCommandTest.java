package io.flockgate.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.cli.keys.CommandRun;
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

    private final CommandRun command = new CommandRun(ClaimCommands::run);

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

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--key= -- true | the key is empty",
                "--key=a\u00e4 -- true | printable ASCII",
                "--key=LONG -- true | has 257 characters; the maximum is 200",
                "--lease=1.5s --key=k -- true | --lease must be whole seconds",
                "--lease=25h --key=k -- true | --lease must be whole seconds from 1s to 24h, like 30s, 5m or 1h (got \"25h\")",
                "--lease=30s --grace=20s --key=k -- true | --grace must be under 12000ms",
                "--limit=0 --key=k -- true | --limit must be > 0 (got 0)",
                "--limit=x --key=k -- true | --limit must be an integer",
                "--wait=never --key=k -- true | --wait must be a time like 30s, 5m, 0 or forever (got",
                "--on-loss=kil --key=k -- true | did you mean kill?",
                "--lost-status=256 --key=k -- true | --lost-status must be between 0 and 255",
                "--kee=k -- true | unknown option \"--kee\": did you mean --key?",
                "-- true | --key is missing (see",
                "deploy -- true | --key is missing: did you mean --key \"deploy\"?",
                "--key=k true | the command is missing: write it after --",
                "--key=k -- | the command is missing: write it after --",
                "--key=k true -- true | unexpected word \"true\"",
                "--key=k -- echo fine a\uFFFD | argument 2 of the command cannot be passed on unchanged: it is not UTF-8",
                "--key=k --server=http://127.0.0.1:1,https://127.0.0.1:2 -- true | all addresses must be of one kind",
                "--key=k --server=http://127.0.0.1:1 -- true | set --server or FLOCKGATE_SERVER to flockgate://127.0.0.1:6388",
                "--key=k --server=redis://a -- true | unknown scheme",
                "--key=k --auth-token-file=/none -- true | --auth-token-file: cannot read \"/none\"",
                "--key=k --ca-file=EMPTY -- true | it contains no certificate"
            })
    void whatCannotBeDoneIsRefusedWithoutAClaim(String line, String reason) throws Exception {
        Path empty = Files.createFile(directory.resolve("ca.pem"));
        String filled = line.replace("LONG", "x".repeat(257)).replace("EMPTY", empty.toString());
        assertThat(run(TOKEN, filled.split(" "))).isEqualTo(2);

        assertThat(command.errorOutput())
                .startsWith("flockgate run: ")
                .contains(reason)
                .hasLineCount(1);
        assertFree("k");
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
