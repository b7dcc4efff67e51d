package io.flockgate.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.cli.shared.Table;
import io.flockgate.gateway.TestGateway;
import io.flockgate.gateway.server.TlsClients;
import io.flockgate.testsupport.Reply;
import io.flockgate.testsupport.ScriptedServer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Execution(ExecutionMode.CONCURRENT)
class FleetLockCommandTest {
    private TestGateway gateway;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @BeforeEach
    void start() {
        gateway = TestGateway.startWithHttp(
                "--fleetlock-groups=default,workers=2", "--fleetlock-volatile", "--auth-token=s3cret");
    }

    @AfterEach
    void stop() {
        gateway.close();
    }

    private int run(Map<String, String> environment, String... args) {
        out.reset();
        err.reset();
        return FleetLockCommand.run(
                List.of(args), environment, new PrintStream(out, true, UTF_8), new PrintStream(err, true, UTF_8));
    }

    private int run(String... args) {
        return run(
                Map.of("FLOCKGATE_SERVER", "http://127.0.0.1:" + gateway.httpPort(), "DFLOCKD_AUTH_TOKEN", "s3cret"),
                args);
    }

    private String said() {
        return out.toString(UTF_8);
    }

    private String errorOutput() {
        return err.toString(UTF_8);
    }

    private void hold(String group, String id) throws Exception {
        String body = "{\"client_params\":{\"id\":\"" + id + "\",\"group\":\"" + group + "\"}}";
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + gateway.httpPort() + "/v1/pre-reboot"))
                .header("fleet-lock-protocol", "true")
                .header("Authorization", "Bearer s3cret")
                .POST(BodyPublishers.ofString(body))
                .build();
        try (HttpClient http = HttpClient.newHttpClient()) {
            assertThat(http.send(request, BodyHandlers.ofString()).statusCode()).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {".", "..", "a/../b"})
    void aSlotOfAnIdOfDotsIsTakenBack(String id) throws Exception {
        hold("default", id);

        assertThat(run("unlock", "default", id, "--reason", "sold")).isZero();

        assertThat(said()).isEqualTo("released: the slot of " + id + "\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"first\nhidden", "hidd\u00e9n", "hidden\u20ac"})
    void aTokenThatCannotBeSentIsNotShown(String token) {
        Map<String, String> environment =
                Map.of("FLOCKGATE_SERVER", "http://127.0.0.1:" + gateway.httpPort(), "DFLOCKD_AUTH_TOKEN", token);

        assertThat(run(environment, "ls")).isEqualTo(2);

        assertThat(errorOutput())
                .contains("the token must be one line of ASCII")
                .doesNotContain("hidd");
    }

    @ParameterizedTest
    @ValueSource(strings = {"<html>", "{}", "[]", "{\"groups\":1}"})
    void theAnswerOfAnotherServerIsSaidToBeOne(String body) throws Exception {
        try (ScriptedServer other = new ScriptedServer().otherwise(Reply.status(200, body))) {
            String url = other.uri().toString();
            assertThat(run("ls", "--server", url)).isEqualTo(1);
            assertThat(errorOutput()).contains("not a gateway's");
            assertThat(run("ls", "workers", "--server", url)).isEqualTo(1);
            assertThat(errorOutput()).contains("not a gateway's");
        }
    }

    @Test
    void groupsAreListed() throws Exception {
        hold("workers", "a");

        assertThat(run("ls")).isZero();
        assertThat(said().lines())
                .containsExactly(
                        "GROUP    SLOTS  HELD  STALE  STATE",
                        "default  1      0     0      open",
                        "workers  2      1     0      open");
    }

    @Test
    void holdersOfAGroupAreListed() throws Exception {
        hold("workers", "a b/\\u00e4");

        assertThat(run("ls", "workers")).isZero();
        assertThat(said())
                .contains("ID ", "SINCE", "a b/\u00e4", "127.0.0.1", "0m", " 1 ")
                .doesNotContain("stale");
        assertThat(run("ls", "workers", "--json")).isZero();
        assertThat(said()).startsWith("{\"group\":\"workers\",").contains("\"holders\":[{");
    }

    @Test
    void aSlotIsTakenBackWithAReason() throws Exception {
        hold("workers", "a b/c?d");

        assertThat(run("unlock", "workers", "a b/c?d")).isEqualTo(2);
        assertThat(errorOutput()).contains("--reason is missing");
        assertThat(run("unlock", "workers", "a b/c?d", "--reason=gone", "--fence=9"))
                .isEqualTo(1);
        assertThat(errorOutput()).contains("409 fence_mismatch");
        assertThat(run("unlock", "workers", "a b/c?d", "--reason", "sold & gone", "--fence", "1"))
                .isZero();
        assertThat(said()).isEqualTo("released: the slot of a b/c?d\n");
        assertThat(run("unlock", "workers", "a b/c?d", "--reason=gone")).isEqualTo(1);
        assertThat(errorOutput()).contains("404 not_held");
    }

    @Test
    void aGroupIsPausedAndResumed() {
        assertThat(run("pause", "default", "--reason=kernel panics")).isZero();
        assertThat(said()).contains("paused since", "kernel panics");
        assertThat(run("resume", "default")).isZero();
        assertThat(said()).contains("open").doesNotContain("paused");
        assertThat(run("pause", "other", "--reason=x")).isEqualTo(1);
        assertThat(errorOutput()).contains("404 unknown_group");
    }

    @Test
    void aTokenFileServesAsWell(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("token"), "s3cret\n");
        String url = "--server=http://127.0.0.1:" + gateway.httpPort() + "/";

        assertThat(run(Map.of(), "ls", url, "--auth-token-file=" + file)).isZero();
        assertThat(run(Map.of(), "ls", url)).isEqualTo(1);
        assertThat(errorOutput()).contains("401 unauthorized");
        assertThat(run(Map.of(), "ls", url, "--auth-token-file=" + directory.resolve("none")))
                .isEqualTo(2);
    }

    @Test
    void theOptionComesBeforeTheVariable() {
        String http = "http://127.0.0.1:" + gateway.httpPort();
        Map<String, String> variables = Map.of("DFLOCKD_AUTH_TOKEN", "s3cret", "FLOCKGATE_SERVER", "127.0.0.1:1");

        assertThat(run(variables, "ls", "--server", http)).isZero();
        assertThat(run(variables, "ls", "--server", "http://127.0.0.1:1," + http))
                .isZero();
        assertThat(run(variables, "ls", "--server", "127.0.0.1:" + gateway.port()))
                .isZero();
        assertThat(run(variables, "ls")).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "http://a,https://b | of one kind, and there are http and https",
                "consul://a | unknown scheme",
                "http://me:hidden@a | no user or password",
                "http://a, | must be like"
            })
    void anAddressThatFleetLockCannotUseIsRefused(String server, String reason) {
        assertThat(run(Map.of(), "ls", "--server", server)).isEqualTo(2);
        assertThat(errorOutput()).contains(reason).doesNotContain("hidden").hasLineCount(1);
    }

    @Test
    void aWordWithATypingErrorIsRecognised() {
        assertThat(run(Map.of(), "unlok")).isEqualTo(2);
        assertThat(errorOutput()).contains("unknown word \"unlok\": did you mean unlock?");
        assertThat(run(Map.of(), "release")).isEqualTo(2);
        assertThat(errorOutput()).contains("unknown word \"release\": did you mean unlock?");
        assertThat(run(Map.of(), "ls", "--sever=x")).isEqualTo(2);
        assertThat(errorOutput()).contains("unknown option \"--sever\": did you mean --server?");
    }

    @Test
    void aMachineIdBecomesTheIdThatZincatiUses() {
        assertThat(run(Map.of(), "id", "1c09ca98649c4c7abc779cd04c96812e")).isZero();
        assertThat(said()).isEqualTo("978a225b3d7b40e9acd7ce9b62f68444\n");
        assertThat(run(Map.of(), "id", "x")).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "rm",
                "ls a b",
                "unlock",
                "unlock g",
                "pause",
                "ls --what",
                "ls --server",
                "ls --server=ftp://x",
                "ls --server=::",
                "id a b"
            })
    void aLineThatCannotBeReadGivesStatus2(String line) {
        List<String> args = new ArrayList<>(List.of(line.split(" ")));
        args.removeIf(String::isEmpty);

        assertThat(run(args.toArray(String[]::new))).isEqualTo(2);
        assertThat(errorOutput()).startsWith("flockgate fleetlock: ").hasLineCount(1);
    }

    @Test
    void helpIsPrintedAndNarrow() {
        assertThat(run(Map.of(), "--help")).isZero();
        assertThat(said().lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(100));
        assertThat(run(Map.of(), "ls", "-h")).isZero();
    }

    @Test
    void aServerThatIsNotThereIsReportedInOneLine() {
        gateway.close();

        assertThat(run("ls")).isEqualTo(1);
        assertThat(errorOutput())
                .contains("no answer from http://127.0.0.1:", "connection refused", "--server or FLOCKGATE_SERVER")
                .doesNotContain("Exception")
                .hasLineCount(1);
    }

    @Test
    void theWrongSchemeIsToldInWords() throws Exception {
        String https = "--server=https://127.0.0.1:" + gateway.httpPort();
        assertThat(run("ls", https)).isEqualTo(1);
        assertThat(errorOutput()).contains("it does not speak TLS").doesNotContain("Exception");

        try (TestGateway secure = TestGateway.startWithHttp(TlsClients.flags("rsa.crt", "rsa-pkcs8.key"))) {
            assertThat(run("ls", "--server=http://127.0.0.1:" + secure.httpPort()))
                    .isEqualTo(1);
            assertThat(errorOutput()).contains("does it speak TLS?").doesNotContain("Exception");
            assertThat(run("ls", "--server=https://127.0.0.1:" + secure.httpPort()))
                    .isEqualTo(1);
            assertThat(errorOutput()).contains("set --ca-file").doesNotContain("Exception");
        }
    }

    @Test
    void whatCouldDisturbATerminalIsNotPrinted() {
        Table table = new Table("A", "B");
        table.add("\u001b[31m\u202ered", "");

        assertThat(table.render()).isEqualTo("A          B\n?[31m?red  -\n");
    }
}
