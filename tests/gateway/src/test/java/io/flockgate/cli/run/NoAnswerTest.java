package io.flockgate.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.cli.keys.CommandRun;
import io.flockgate.testsupport.ScriptedServer;
import java.net.Socket;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each command that gets no answer names the address that it has contacted. */
@Tag("process")
@Execution(ExecutionMode.CONCURRENT)
class NoAnswerTest {
    private static final String TOKEN = "00000000000000010000000000000000";

    private final CommandRun command = new CommandRun(ClaimCommands::run);

    @ParameterizedTest
    @CsvSource({
        "flockgate, ls",
        "http, show deploy",
        "http, drain --reason test",
        "flockgate, renew deploy " + TOKEN,
        "flockgate, lock deploy --for 10m",
        "flockgate, lock deploy",
        "flockgate, run --key deploy -- true"
    })
    void aServerThatClosesItsConnectionsIsNamed(String scheme, String line) {
        try (ScriptedServer server = ScriptedServer.ofConnections(Socket::close)) {
            assertNamed(scheme, server, line);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "flockgate, 'no server can be reached: 127.0.0.1:', ': no answer within 10 s'",
        "http, 'no answer from http://127.0.0.1:', ' in time'"
    })
    void theTimeForAnAnswerIsToldOnce(String scheme, String before, String after) {
        try (ScriptedServer server =
                ScriptedServer.ofConnections(socket -> socket.getInputStream().readAllBytes())) {
            assertNamed(scheme, server, "undrain");
            assertThat(command.errorOutput()).endsWith(before + server.port() + after + "\n");
        }
    }

    private void assertNamed(String scheme, ScriptedServer server, String line) {
        Map<String, String> environment = Map.of("FLOCKGATE_SERVER", scheme + "://127.0.0.1:" + server.port());
        assertThat(command.run(environment, line)).isNotZero();
        assertThat(command.errorOutput()).contains("127.0.0.1:" + server.port()).doesNotContain("Exception");
    }
}
