package io.flockgate.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.cli.keys.CommandRun;
import io.flockgate.testsupport.ScriptedServer;
import java.net.Socket;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each command that gets no answer names the address that it has contacted. */
@Tag("process")
@Execution(ExecutionMode.CONCURRENT)
class NoAnswerTest {
    private static final String TOKEN = "0".repeat(15) + "1" + "0".repeat(16);

    private final CommandRun command = new CommandRun(ClaimCommands::run);

    static Stream<Arguments> commands() {
        Stream<Arguments> overRest = Stream.of("flockgate", "http")
                .flatMap(scheme -> Stream.of(
                                "ls",
                                "show deploy",
                                "drain --reason test",
                                "undrain",
                                "release deploy --force --fence 1 --reason test")
                        .map(line -> Arguments.of(scheme, line)));
        Stream<Arguments> overLine = Stream.of(
                        "renew deploy " + TOKEN,
                        "release deploy " + TOKEN,
                        "lock deploy --for 10m",
                        "lock deploy",
                        "run --key deploy -- true")
                .map(line -> Arguments.of("flockgate", line));
        return Stream.concat(overRest, overLine);
    }

    @ParameterizedTest
    @MethodSource("commands")
    void aServerThatClosesItsConnectionsIsNamed(String scheme, String line) {
        try (ScriptedServer server = ScriptedServer.ofConnections(Socket::close)) {
            assertNamed(scheme, server, line);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"lock deploy --lease 3s", "run --key deploy --lease 3s -- true"})
    void aSilentServerIsNamed(String line) {
        try (ScriptedServer server =
                ScriptedServer.ofConnections(socket -> socket.getInputStream().readAllBytes())) {
            assertNamed("flockgate", server, line);
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
