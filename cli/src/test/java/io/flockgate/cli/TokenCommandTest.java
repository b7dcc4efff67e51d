package io.flockgate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.cli.shared.CommandCall;
import io.flockgate.cli.shared.InstalledGateway;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TokenCommandTest {
    /** Knows one name and one right. */
    static final InstalledGateway GATEWAY = new InstalledGateway() {
        @Override
        public Listeners listeners(List<String> flags, Map<String, String> environment) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isTokenName(String name) {
            return List.of("ci", "unnamed").contains(name);
        }

        @Override
        public String tokenEntry(String name, String secret, List<String> allow) {
            if (!List.of("all").containsAll(allow)) {
                throw new IllegalArgumentException("unknown right " + allow.getLast());
            }
            return name + " " + secret + " " + allow;
        }
    };

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int run(String... args) {
        CommandCall call = new CommandCall(
                List.of(args),
                Map.of(),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
        return TokenCommand.run(call, GATEWAY);
    }

    @Test
    void aSecretAndItsEntryArePrinted() {
        assertThat(run("new", "--name", "ci", "--allow", "all", "--allow=all")).isZero();
        List<String> lines = out.toString(StandardCharsets.UTF_8).lines().toList();
        assertThat(lines).hasSize(2);
        assertThat(lines.getFirst()).matches("fg_[A-Za-z0-9_-]{43}");
        assertThat(lines.getLast()).isEqualTo("ci " + lines.getFirst() + " [all, all]");
    }

    @Test
    void aTokenWithoutRightsIsWarnedOf() {
        assertThat(run("new", "--name", "ci", "--allow", "all")).isZero();
        assertThat(err.toString(StandardCharsets.UTF_8)).doesNotContain("--allow");
        assertThat(run("new", "--name", "ci")).isZero();
        assertThat(err.toString(StandardCharsets.UTF_8))
                .endsWith("flockgate token: this token allows nothing: add --allow, such as --allow 'lock:ci/*'"
                        + " (see --help)\n");
    }

    @Test
    void eachSecretIsAnother() {
        assertThat(run("new")).isZero();
        assertThat(run("new")).isZero();
        List<String> lines = out.toString(StandardCharsets.UTF_8).lines().toList();
        assertThat(lines.get(0)).isNotEqualTo(lines.get(2));
        assertThat(lines.get(1))
                .isNotEqualTo(lines.get(3))
                .startsWith("unnamed ")
                .endsWith(" []");
    }

    @Test
    void helpNamesEveryRight() {
        assertThat(run("--help")).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("lock:<", "read:<", "metrics", "operate", "fleetlock:<", "all ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | the word new is missing (see --help)",
                "old | unknown word \"old\": did you mean new? (see --help)",
                "create | unknown word \"create\": did you mean new? (see --help)",
                "nw | unknown word \"nw\": did you mean new? (see --help)",
                "new more | unexpected word \"more\" (see --help)",
                "new --nme x | unknown option \"--nme\": did you mean --name? (see --help)",
                "new --name auth-token | --name must be 1 to 64 printable characters",
                "new --allow all --allow lock | --allow: unknown right lock",
                "new --allow | --allow needs a value (see --help)",
            })
    void whatCannotBeReadIsRefusedWithWords(String args, String words) {
        assertThat(run(args.isEmpty() ? new String[0] : args.split(" "))).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).startsWith("flockgate token: " + words);
        assertThat(out.size()).isZero();
    }
}
