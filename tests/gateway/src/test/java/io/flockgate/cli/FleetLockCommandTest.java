package io.flockgate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.cli.run.CommandRun;
import io.flockgate.cli.shared.Table;
import io.flockgate.gateway.TestGateway;
import io.flockgate.gateway.server.TlsClients;
import io.flockgate.gateway.server.http.RawHttp;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Execution(ExecutionMode.CONCURRENT)
class FleetLockCommandTest {
    @AutoClose
    private final TestGateway gateway = TestGateway.startWithHttp(
            "--fleetlock-groups=default,workers=2", "--fleetlock-volatile", "--auth-token=s3cret");

    private final String http = "http://127.0.0.1:" + gateway.httpPort();

    private final CommandRun command = new CommandRun();

    private int run(Map<String, String> environment, String... args) {
        return command.run(
                environment,
                Stream.concat(Stream.of("fleetlock"), Stream.of(args)).toList());
    }

    private int run(String... args) {
        return run(Map.of("FLOCKGATE_SERVER", http, "DFLOCKD_AUTH_TOKEN", "s3cret"), args);
    }

    private void hold(String group, String id) throws Exception {
        String body = "{\"client_params\":{\"id\":\"" + id + "\",\"group\":\"" + group + "\"}}";
        String headers = "fleet-lock-protocol: true\r\nAuthorization: Bearer s3cret\r\n";
        try (RawHttp client = RawHttp.of(gateway.httpPort())) {
            assertThat(client.ask("POST", "/v1/pre-reboot", headers, body).status())
                    .isEqualTo(200);
        }
    }

    @Test
    void groupsAndTheirHoldersAreListed() throws Exception {
        hold("workers", "a b/\\u00e4");

        assertThat(run("ls")).isZero();
        assertThat(command.output().lines())
                .containsExactly(
                        "GROUP    SLOTS  HELD  STALE  STATE",
                        "default  1      0     0      open",
                        "workers  2      1     0      open");
        assertThat(run("ls", "workers")).isZero();
        assertThat(command.output())
                .contains("ID ", "SINCE", "a b/\u00e4", "127.0.0.1", "0m", " 1 ")
                .doesNotContain("stale");
        assertThat(run("ls", "workers", "--json")).isZero();
        assertThat(command.output()).startsWith("{\"group\":\"workers\",").contains("\"holders\":[{");
    }

    @ParameterizedTest
    @ValueSource(strings = {".", "..", "a b/../c?d"})
    void aSlotIsTakenBackWithAReason(String id) throws Exception {
        hold("workers", id);

        assertThat(run("unlock", "workers", id)).isEqualTo(2);
        assertThat(command.errorOutput()).contains("--reason is missing");
        assertThat(run("unlock", "workers", id, "--reason=gone", "--fence=9")).isEqualTo(1);
        assertThat(command.errorOutput()).contains("409 fence_mismatch");
        assertThat(run("unlock", "workers", id, "--reason", "sold & gone", "--fence", "1"))
                .isZero();
        assertThat(command.output()).isEqualTo("released: the slot of " + id + "\n");
        assertThat(run("unlock", "workers", id, "--reason=gone")).isEqualTo(1);
        assertThat(command.errorOutput()).contains("404 not_held");
    }

    @Test
    void aGroupIsPausedAndResumed() {
        assertThat(run("pause", "default", "--reason=kernel panics")).isZero();
        assertThat(command.output()).contains("paused since", "kernel panics");
        assertThat(run("resume", "default")).isZero();
        assertThat(command.output()).contains("open").doesNotContain("paused");
        assertThat(run("pause", "other", "--reason=x")).isEqualTo(1);
        assertThat(command.errorOutput()).contains("404 unknown_group");
    }

    @Test
    void anOptionComesBeforeItsVariable(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("token"), "s3cret\n");
        Map<String, String> variables = Map.of("DFLOCKD_AUTH_TOKEN", "s3cret", "FLOCKGATE_SERVER", "127.0.0.1:1");

        assertThat(run(variables, "ls", "--server", http)).isZero();
        assertThat(run(variables, "ls", "--server", "http://127.0.0.1:1," + http))
                .isZero();
        assertThat(run(variables, "ls", "--server", "127.0.0.1:" + gateway.port()))
                .isZero();
        assertThat(run(variables, "ls")).isEqualTo(1);
        assertThat(run(Map.of(), "ls", "--server=" + http + "/", "--auth-token-file=" + file))
                .isZero();
        assertThat(run(Map.of(), "ls", "--server", http)).isEqualTo(1);
        assertThat(command.errorOutput()).contains("401 unauthorized");
    }

    @Test
    void anotherSchemeOrAuthorityThanTheGatewaysIsNamed() throws Exception {
        try (TestGateway secure = TestGateway.startWithHttp(TlsClients.flags("rsa.crt", "rsa-pkcs8.key"))) {
            String line = "flockgates://localhost:" + secure.port();
            String rest = "https://localhost:" + secure.httpPort();
            Map<String, String> words = Map.of(
                    "https://127.0.0.1:" + gateway.httpPort(),
                    "it does not speak TLS",
                    "http://127.0.0.1:" + secure.httpPort(),
                    "does it speak TLS?",
                    line,
                    "certificate is not trusted: set --ca-file",
                    rest,
                    "certificate is not trusted: set --ca-file");
            words.forEach((server, hint) -> {
                assertThat(run("ls", "--server=" + server)).isEqualTo(1);
                assertThat(command.errorOutput()).contains(hint).doesNotContain("Exception");
            });
        }
    }

    @Test
    void whatCouldDisturbATerminalIsNotPrinted() {
        Table table = new Table("A", "B");
        table.add("\u001b[31m\u202ered", "");

        assertThat(table.render()).isEqualTo("A          B\n?[31m?red  -\n");
    }
}
