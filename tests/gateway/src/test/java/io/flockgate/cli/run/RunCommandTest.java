package io.flockgate.cli.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code flockgate run} in this process, with real commands. */
@Tag("process")
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("one key")
class RunCommandTest {
    private static final String TOKEN = "a-token-for-tests-only";

    private static TestGateway gateway;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @TempDir
    Path directory;

    @BeforeAll
    static void start() {
        gateway = TestGateway.start("--auth-token=" + TOKEN);
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    private int run(Map<String, String> environment, String... args) {
        out.reset();
        err.reset();
        return RunCommand.run(
                List.of(args),
                environment,
                new PrintStream(out, true, UTF_8),
                new PrintStream(err, true, UTF_8),
                SignalInbox::closed);
    }

    private int run(String... args) {
        return run(Map.of("FLOCKGATE_SERVER", "127.0.0.1:" + gateway.port(), "DFLOCKD_AUTH_TOKEN", TOKEN), args);
    }

    /** Runs concurrently with the test, without output. */
    private static CompletableFuture<Integer> runLater(String... args) {
        Map<String, String> environment =
                Map.of("FLOCKGATE_SERVER", "127.0.0.1:" + gateway.port(), "DFLOCKD_AUTH_TOKEN", TOKEN);
        PrintStream nobody = new PrintStream(OutputStream.nullOutputStream(), true, UTF_8);
        return CompletableFuture.supplyAsync(
                () -> RunCommand.run(List.of(args), environment, nobody, nobody, SignalInbox::closed),
                Thread::startVirtualThread);
    }

    private String errorOutput() {
        return err.toString(UTF_8);
    }

    private void assertFree(String key) {
        assertThat(run("--key", key, "--wait=0", "--", "true")).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 74, 75, 255})
    void theExitStatusIsThatOfTheCommand(int status) {
        assertThat(run("--key", "exit", "--", "sh", "-c", "exit " + status)).isEqualTo(status);
        assertThat(errorOutput()).isEmpty();
        assertFree("exit");
    }

    @Test
    void aCommandThatASignalEndsGivesTheStatusOfAShell() {
        assertThat(run("--key", "exit", "--", "sh", "-c", "kill -KILL $$")).isEqualTo(128 + 9);
        assertThat(run("--key", "exit", "--", "sh", "-c", "kill -TERM $$")).isEqualTo(128 + 15);
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

        assertThat(run(args.toArray(String[]::new))).isZero();

        assertThat(Files.readString(file).split("\0", -1)).containsExactlyElementsOf(with(odd, ""));
    }

    private static List<String> with(List<String> list, String last) {
        List<String> all = new ArrayList<>(list);
        all.add(last);
        return all;
    }

    @Test
    void theCommandFindsKeyTokenAndFence() throws Exception {
        Path file = directory.resolve("variables");

        assertThat(run("--key", "vars", "--", "sh", "-c", "env >\"$0\"", file.toString()))
                .isZero();

        List<String> lines = Files.readAllLines(file);
        String token = value(lines, "FLOCKGATE_LEASE_TOKEN");
        assertThat(lines).contains("FLOCKGATE_KEY=vars");
        assertThat(token).matches("[0-9a-f]{32}");
        assertThat(value(lines, "FLOCKGATE_FENCE"))
                .isEqualTo(Long.toUnsignedString(Long.parseUnsignedLong(token.substring(0, 16), 16)));
    }

    private static String value(List<String> lines, String name) {
        return lines.stream()
                .filter(line -> line.startsWith(name + "="))
                .map(line -> line.substring(name.length() + 1))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aKeyThatOthersHoldGivesStatus75() throws Exception {
        Path file = directory.resolve("inner");
        Path go = directory.resolve("go");
        CompletableFuture<Integer> outer = runLater(
                "--key=busy",
                "--",
                "sh",
                "-c",
                "echo held >\"$0\"; while [ ! -e \"$1\" ]; do sleep 0.05; done",
                file.toString(),
                go.toString());
        Waits.untilContains(file, "held");

        assertThat(run(
                        "--key=busy",
                        "--wait=0",
                        "--",
                        "touch",
                        directory.resolve("never").toString()))
                .isEqualTo(75);
        assertThat(errorOutput()).isEqualTo("flockgate run: not acquired: others hold busy\n");
        assertThat(run("--key=busy", "--wait=200ms", "--not-acquired-status=9", "--json", "--", "true"))
                .isEqualTo(9);
        assertThat(errorOutput()).contains("{\"event\":\"not_acquired\",\"key\":\"busy\"");
        assertThat(directory.resolve("never")).doesNotExist();

        Files.createFile(go);
        assertThat(run("--key=busy", "--wait=30s", "--", "true")).isZero();
        assertThat(outer.get()).isZero();
    }

    @Test
    void aCommandThatCannotRunGivesTheStatusOfAShell() throws Exception {
        Path text = Files.writeString(directory.resolve("text"), "no program");

        assertThat(run("--key=missing", "--", "no-such-command-anywhere")).isEqualTo(127);
        assertThat(errorOutput())
                .isEqualTo("flockgate run: cannot run \"no-such-command-anywhere\": no such command\n");
        assertThat(run("--key=missing", "--", text.toString())).isEqualTo(126);
        assertThat(errorOutput()).contains("Permission denied").hasLineCount(1);
        assertFree("missing");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--key= -- true | the key is empty",
                "--key=a\u00e4 -- true | printable ASCII",
                "--lease=1.5s --key=k -- true | --lease must be whole seconds",
                "--lease=0 --key=k -- true | --lease must be whole seconds",
                "--lease=25h --key=k -- true | --lease must be whole seconds from 1s to 24h, like 30s, 5m or 1h (got \"25h\")",
                "--lease=soon --key=k -- true | --lease must be whole seconds from 1s to 24h",
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
                "--key=k --server=http://127.0.0.1:1,https://127.0.0.1:2 -- true | all addresses must be of one kind",
                "--key=k --server=http://127.0.0.1:1 -- true | set --server or FLOCKGATE_SERVER to flockgate://127.0.0.1:6388",
                "--key=k --server=redis://a -- true | unknown scheme",
                "--key=k --server=a:1,flockgates://b:1 -- true | of one kind",
                "--key=k --auth-token-file=/none -- true | --auth-token-file: cannot read \"/none\""
            })
    void whatCannotBeDoneIsRefusedWithoutAClaim(String line, String reason) {
        assertThat(run(line.split(" "))).isEqualTo(2);

        assertThat(errorOutput()).startsWith("flockgate run: ").contains(reason).hasLineCount(1);
        assertFree("k");
    }

    @Test
    void aKeyThatIsTooLongIsRefused() {
        assertThat(run("--key=" + "x".repeat(257), "--", "true")).isEqualTo(2);
        assertThat(errorOutput()).contains("has 257 characters; the maximum is 200");
    }

    @Test
    void anArgumentThatWouldChangeIsRefused() {
        assertThat(run("--key=k", "--", "echo", "fine", "a\uFFFD")).isEqualTo(2);
        assertThat(errorOutput()).contains("argument 2 of the command", "not UTF-8");
        assertFree("k");
    }

    @Test
    void aWrongTokenIsToldWithoutTheToken() {
        String server = "127.0.0.1:" + gateway.port();

        assertThat(run(Map.of("DFLOCKD_AUTH_TOKEN", "hidden-and-wrong"), "--server", server, "--key=k", "--", "true"))
                .isEqualTo(69);

        assertThat(errorOutput())
                .contains("does not accept the token", "--auth-token-file")
                .doesNotContain("hidden");
        assertFree("k");
    }

    @Test
    void aServerThatIsNotThereIsToldAtOnce() {
        assertThat(run(Map.of(), "--server=127.0.0.1:1", "--key=k", "--", "true"))
                .isEqualTo(69);
        assertThat(errorOutput())
                .contains("127.0.0.1:1: ", "refused. Is a gateway running there", "--server or FLOCKGATE_SERVER")
                .hasLineCount(1);
    }

    @Test
    void oneOfSeveralServersIsEnough() {
        String servers = "127.0.0.1:1,127.0.0.1:" + gateway.port();
        assertThat(run(Map.of("DFLOCKD_AUTH_TOKEN", TOKEN), "--server", servers, "--key=k", "--", "true"))
                .isZero();
    }

    @Test
    void helpIsPrintedAndNarrow() {
        assertThat(run("--help")).isZero();
        assertThat(out.toString(UTF_8).lines())
                .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(100));
        assertThat(out.toString(UTF_8)).contains("--not-acquired-status", "Examples:");
        assertThat(run("--key=k", "-h", "--", "true")).isZero();
    }
}
