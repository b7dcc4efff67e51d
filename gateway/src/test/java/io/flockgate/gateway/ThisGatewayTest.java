package io.flockgate.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.gateway.Main.ThisGateway;
import io.flockgate.gateway.rights.Tokens;
import io.flockgate.gateway.rights.Tokens.NamedToken;
import io.flockgate.storage.Key;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What sub-commands find out from the gateway. */
class ThisGatewayTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    private int run(String... words) {
        PrintStream text = new PrintStream(out, true, UTF_8);
        return Main.run(List.of(words), Map.of(), text, text);
    }

    @Test
    void theSecretOfANewTokenOpensWhatItsEntryAllows() {
        assertThat(run("token", "new", "--name", "ci", "--allow", "lock:ci/*", "--allow=metrics"))
                .isZero();
        List<String> lines = out.toString(UTF_8).lines().toList();
        String secret = lines.getFirst();
        assertThat(lines.get(1))
                .startsWith("{\"name\":\"ci\",\"sha256\":\"")
                .endsWith("\"allow\":[\"lock:ci/*\",\"metrics\"]}")
                .doesNotContain(secret);
        byte[] file = ("{\"tokens\":[" + lines.get(1) + "]}").getBytes(UTF_8);
        NamedToken found = Objects.requireNonNull(Tokens.ofFile(null, file).find(secret.getBytes(UTF_8)), "unknown");
        assertThat(found.name()).isEqualTo("ci");
        assertThat(found.rights().mayLock(Key.of("ci/1"))).isTrue();
        assertThat(found.rights().mayReadMetrics()).isTrue();
        assertThat(found.rights().mayOperate()).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "new --name auth-token | --name must be 1 to 64 printable characters",
                "new --name é | --name must be 1 to 64 printable characters",
                "new --allow lock | --allow: the right lock needs keys: lock:* for all of them",
                "new --allow oprate | --allow: unknown right \"oprate\": did you mean operate?",
            })
    void theEntryOfANewTokenIsOneThatItReads(String args, String words) {
        assertThat(run(("token " + args).split(" "))).isEqualTo(2);
        assertThat(out.toString(UTF_8)).startsWith("flockgate token: " + words);
    }

    @ParameterizedTest
    @CsvSource({
        "--port=x, configuration error: --port",
        "--help, --help must stand alone",
        "--version, --version must stand alone",
        "run, that is no gateway",
    })
    void itListensNowhereWithWordsThatStartNoServer(String flag, String words) {
        assertThatThrownBy(() -> new ThisGateway().listeners(List.of(flag), Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(words);
    }
}
