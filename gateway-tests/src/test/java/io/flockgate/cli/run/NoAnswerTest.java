package io.flockgate.cli.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.cli.keys.DrainCommand;
import io.flockgate.cli.keys.GrantCommand;
import io.flockgate.cli.keys.ListCommand;
import io.flockgate.cli.keys.ShowCommand;
import io.flockgate.testsupport.ScriptedServer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each command names the address that it has asked if it gets no answer. */
@Tag("process")
@Execution(ExecutionMode.CONCURRENT)
class NoAnswerTest {
    private static final String TOKEN = "0".repeat(15) + "1" + "0".repeat(16);

    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int run(String scheme, int port, String line) {
        PrintStream nobody = new PrintStream(new ByteArrayOutputStream(), true, UTF_8);
        PrintStream errors = new PrintStream(err, true, UTF_8);
        Map<String, String> environment = Map.of("FLOCKGATE_SERVER", scheme + "://localhost:" + port);
        List<String> words = List.of(line.split(" "));
        List<String> args = words.subList(1, words.size());
        return switch (words.getFirst()) {
            case "ls" -> ListCommand.run(args, environment, nobody, errors);
            case "show" -> ShowCommand.run(args, environment, nobody, errors);
            case "run" -> RunCommand.run(args, environment, nobody, errors, SignalInbox::closed);
            case "lock" -> LockCommand.run(args, environment, nobody, errors, SignalInbox::closed);
            case "drain", "undrain" -> DrainCommand.run(words.getFirst(), args, environment, nobody, errors);
            default -> GrantCommand.run(words.getFirst(), args, environment, nobody, errors);
        };
    }

    static Stream<Arguments> commands() {
        return Stream.of("flockgate", "http")
                .flatMap(scheme -> Stream.of(
                                "ls",
                                "show deploy",
                                "drain --reason test",
                                "undrain",
                                "renew deploy " + TOKEN,
                                "release deploy " + TOKEN,
                                "release deploy --force --fence 1 --reason test",
                                "lock deploy --for 10m",
                                "lock deploy",
                                "run --key deploy -- true")
                        .map(line -> Arguments.of(scheme, line)));
    }

    @ParameterizedTest
    @MethodSource("commands")
    void aServerThatClosesItsConnectionsIsNamed(String scheme, String line) {
        try (ScriptedServer server = ScriptedServer.ofConnections(Socket::close)) {
            assertNamed(scheme, server, line);
        }
    }

    static Stream<Arguments> claims() {
        return Stream.of("flockgate", "http")
                .flatMap(scheme -> Stream.of("lock deploy --lease 3s", "run --key deploy --lease 3s -- true")
                        .map(line -> Arguments.of(scheme, line)));
    }

    @ParameterizedTest
    @MethodSource("claims")
    void aSilentServerIsNamed(String scheme, String line) {
        try (ScriptedServer server =
                ScriptedServer.ofConnections(socket -> socket.getInputStream().readAllBytes())) {
            assertNamed(scheme, server, line);
        }
    }

    private void assertNamed(String scheme, ScriptedServer server, String line) {
        assertThat(run(scheme, server.port(), line)).isNotZero();
        assertThat(err.toString(UTF_8)).contains("localhost:" + server.port()).doesNotContain("Exception");
    }
}
