package io.flockgate.gateway.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.rights.Authenticator;
import io.flockgate.gateway.rights.Principal;
import io.flockgate.gateway.rights.Tokens;
import io.flockgate.gateway.rights.TokensFile;
import io.flockgate.storage.Key;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TokenCommandTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int run(String... args) {
        return TokenCommand.run(
                List.of(args),
                Map.of(),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    @Test
    void theSecretOpensWhatItsLineAllows() {
        assertThat(run("new", "--name", "ci", "--allow", "lock:ci/*", "--allow=metrics"))
                .isZero();
        List<String> lines = out.toString(StandardCharsets.UTF_8).lines().toList();
        assertThat(lines).hasSize(2);
        String secret = lines.getFirst();
        assertThat(secret).matches("fg_[A-Za-z0-9_-]{43}");
        assertThat(lines.getLast())
                .startsWith("{\"name\":\"ci\",\"sha256\":\"")
                .endsWith("\"allow\":[\"lock:ci/*\",\"metrics\"]}")
                .doesNotContain(secret);
        byte[] file = ("{\"tokens\":[" + lines.getLast() + "]}").getBytes(StandardCharsets.UTF_8);
        Authenticator authenticator = Authenticator.of(Tokens.of(null, TokensFile.read(file)));
        Principal found =
                Objects.requireNonNull(authenticator.find(secret.getBytes(StandardCharsets.US_ASCII)), "unknown");
        assertThat(found.name()).isEqualTo("ci");
        assertThat(found.rights().mayLock(Key.of("ci/1"))).isTrue();
        assertThat(found.rights().mayReadMetrics()).isTrue();
        assertThat(found.rights().mayOperate()).isFalse();
    }

    @Test
    void eachSecretIsAnother() {
        assertThat(run("new")).isZero();
        assertThat(run("new")).isZero();
        List<String> lines = out.toString(StandardCharsets.UTF_8).lines().toList();
        assertThat(lines.get(0)).isNotEqualTo(lines.get(2));
        assertThat(lines.get(1)).isNotEqualTo(lines.get(3)).contains("\"allow\":[]");
    }

    @Test
    void helpNamesEveryRight() {
        assertThat(run("--help")).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("lock:<", "read:<", "metrics", "operate", "fleetlock:<", "all ")
                .isEqualTo(TokenCommand.HELP);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | the word new is missing (see --help)",
                "old | unknown word \"old\" (see --help)",
                "nw | unknown word \"nw\": did you mean new? (see --help)",
                "new more | unexpected word \"more\" (see --help)",
                "new --nme x | unknown option \"--nme\": did you mean --name? (see --help)",
                "new --name auth-token | --name must be 1 to 64 printable characters",
                "new --name é | --name must be 1 to 64 printable characters",
                "new --allow lock | --allow: the right lock needs keys: lock:* for all of them",
                "new --allow oprate | --allow: unknown right \"oprate\": did you mean operate?",
                "new --allow | --allow needs a value (see --help)",
            })
    void whatCannotBeReadIsRefusedWithWords(String args, String words) {
        assertThat(run(args.isEmpty() ? new String[0] : args.split(" "))).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).startsWith("flockgate token: " + words);
        assertThat(out.size()).isZero();
    }
}
