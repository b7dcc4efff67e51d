package io.flockgate.cli.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.cli.keys.GrantCommand;
import io.flockgate.cli.keys.ListCommand;
import io.flockgate.cli.keys.ShowCommand;
import io.flockgate.client.ConnectOptions;
import io.flockgate.gateway.TestGateway;
import io.flockgate.gateway.server.TlsClients;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URI;
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

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @BeforeAll
    static void start() throws Exception {
        gateway = TestGateway.startWithHttp(TlsClients.flags("rsa.crt", "rsa-pkcs8.key"));
        ConnectOptions trusting = ConnectOptions.defaults()
                .sslContext(TlsClients.trusting("rsa.crt").context());
        WarmClient.over(URI.create("flockgates://localhost:" + gateway.port()), trusting);
        WarmClient.over(URI.create("https://localhost:" + gateway.httpPort()), trusting);
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    private int run(String scheme, String authority, String line) throws Exception {
        out.reset();
        err.reset();
        PrintStream output = new PrintStream(out, true, UTF_8);
        PrintStream errors = new PrintStream(err, true, UTF_8);
        int port = scheme.equals("https") ? gateway.httpPort() : gateway.port();
        Map<String, String> environment = Map.of(
                "FLOCKGATE_SERVER", scheme + "://localhost:" + port, "FLOCKGATE_CA_FILE", TlsClients.file(authority));
        List<String> words = List.of(line.split(" "));
        List<String> args = words.subList(1, words.size());
        return switch (words.getFirst()) {
            case "run" -> RunCommand.run(args, environment, output, errors, SignalInbox::closed);
            case "lock" -> LockCommand.run(args, environment, output, errors, SignalInbox::closed);
            case "ls" -> ListCommand.run(args, environment, output, errors);
            case "show" -> ShowCommand.run(args, environment, output, errors);
            default -> GrantCommand.run(words.getFirst(), args, environment, output, errors);
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"flockgates", "https"})
    void eachCommandSpeaksTls(String scheme) throws Exception {
        String key = "tls-" + scheme;
        assertThat(run(scheme, "rsa.crt", "run --key=" + key + " -- true"))
                .as(() -> err.toString(UTF_8))
                .isZero();
        try (var holder = TlsClients.trusting("rsa.crt").connect(gateway.port())) {
            assertThat(holder.ask("l", key, "0 60")).startsWith("ok ");
            assertThat(run(scheme, "rsa.crt", "lock " + key + " --wait=0")).isEqualTo(75);
        }
        assertThat(run(scheme, "rsa.crt", "ls --prefix " + key)).isZero();
        assertThat(out.toString(UTF_8)).contains(key);
        assertThat(run(scheme, "rsa.crt", "release " + key + " 00")).isEqualTo(74);
    }

    @Test
    void aKeyIsShownOverTls() throws Exception {
        assertThat(run("flockgates", "rsa.crt", "run --key=shown -- true")).isZero();
        assertThat(run("https", "rsa.crt", "show shown")).isZero();
        assertThat(out.toString(UTF_8)).contains("shown");
    }

    @ParameterizedTest
    @ValueSource(strings = {"flockgates", "https"})
    void aServerThatIsNotTrustedIsRefused(String scheme) throws Exception {
        assertThat(run(scheme, "ec.crt", "run --key=k -- true")).isEqualTo(69);
        assertThat(err.toString(UTF_8))
                .startsWith("flockgate run: ")
                .contains("certificate is not trusted", "--ca-file")
                .doesNotContain("Exception")
                .hasLineCount(1);
        assertThat(run(scheme, "ec.crt", "ls")).isEqualTo(1);
        assertThat(err.toString(UTF_8))
                .startsWith("flockgate ls: ")
                .doesNotContain("Exception")
                .hasLineCount(1);
    }
}
