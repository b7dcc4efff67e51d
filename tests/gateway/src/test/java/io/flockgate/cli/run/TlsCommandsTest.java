package io.flockgate.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.cli.keys.CommandRun;
import io.flockgate.gateway.TestGateway;
import io.flockgate.gateway.server.TlsClients;
import io.flockgate.testsupport.LineClient;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The sub-commands against a gateway with TLS. */
@Tag("process")
@Execution(ExecutionMode.CONCURRENT)
class TlsCommandsTest {
    private static TestGateway gateway;

    private final CommandRun command = new CommandRun(ClaimCommands::run);

    @BeforeAll
    static void start() throws Exception {
        gateway = TestGateway.startWithHttp(TlsClients.flags("rsa.crt", "rsa-pkcs8.key"));
        // The first handshake is slow on a busy machine, and a command waits for a few seconds only.
        try (LineClient first = TlsClients.trusting("rsa.crt").connect(gateway.port())) {
            first.release(first.lock("warm"));
        }
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    private int run(String scheme, String authority, String line) throws Exception {
        int port = scheme.equals("https") ? gateway.httpPort() : gateway.port();
        Map<String, String> environment = Map.of(
                "FLOCKGATE_SERVER", scheme + "://localhost:" + port, "FLOCKGATE_CA_FILE", TlsClients.file(authority));
        return command.run(environment, line);
    }

    @Test
    void eachCommandSpeaksTls() throws Exception {
        assertThat(run("flockgates", "rsa.crt", "run --key=tls -- true"))
                .as(command::errorOutput)
                .isZero();
        try (var holder = TlsClients.trusting("rsa.crt").connect(gateway.port())) {
            assertThat(holder.ask("l", "tls", "0 60")).startsWith("ok ");
            assertThat(run("flockgates", "rsa.crt", "lock tls --wait=0")).isEqualTo(75);
        }
        for (String scheme : List.of("flockgates", "https")) {
            assertThat(run(scheme, "rsa.crt", "ls --prefix tls")).isZero();
            assertThat(command.output()).contains("tls");
        }
        assertThat(run("flockgates", "rsa.crt", "release tls 00")).isEqualTo(74);
    }

    @ParameterizedTest
    @ValueSource(strings = {"flockgates", "https"})
    void aServerThatIsNotTrustedIsRefused(String scheme) throws Exception {
        boolean rest = scheme.equals("https");
        assertThat(run(scheme, "ec.crt", rest ? "undrain" : "run --key=k -- true"))
                .isEqualTo(rest ? 1 : 69);
        assertThat(command.errorOutput())
                .startsWith(rest ? "flockgate undrain: " : "flockgate run: ")
                .contains("certificate is not trusted", "--ca-file")
                .doesNotContain("Exception")
                .hasLineCount(1);
        assertThat(run(scheme, "ec.crt", "ls")).isEqualTo(1);
        assertThat(command.errorOutput())
                .startsWith("flockgate ls: ")
                .doesNotContain("Exception")
                .hasLineCount(1);
    }
}
