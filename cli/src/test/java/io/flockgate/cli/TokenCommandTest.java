package io.flockgate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class TokenCommandTest {
    private final Shell shell = new Shell();

    @Test
    void aSecretAndItsEntryArePrinted() {
        assertThat(shell.run("token new --name ci --allow all --allow=all")).isZero();
        List<String> lines = shell.out().lines().toList();
        assertThat(lines).hasSize(2);
        assertThat(lines.getFirst()).matches("fg_[A-Za-z0-9_-]{43}");
        assertThat(lines.getLast()).isEqualTo("ci " + lines.getFirst() + " [all, all]");
        assertThat(shell.err()).doesNotContain("--allow");
    }

    @Test
    void eachSecretIsAnotherAndATokenWithoutRightsIsWarnedOf() {
        assertThat(shell.run("token new")).isZero();
        assertThat(shell.run("token new")).isZero();
        List<String> lines = shell.out().lines().toList();
        assertThat(lines.get(0)).isNotEqualTo(lines.get(2));
        assertThat(lines.get(1))
                .isNotEqualTo(lines.get(3))
                .startsWith("unnamed ")
                .endsWith(" []");
        assertThat(shell.err())
                .endsWith("flockgate token: this token allows nothing: add --allow, such as --allow 'lock:ci/*'"
                        + " (see --help)\n");
    }

    @Test
    void helpNamesEveryRight() {
        assertThat(shell.run("token --help")).isZero();
        assertThat(shell.out()).contains("lock:<", "read:<", "metrics", "operate", "fleetlock:<", "all ");
    }
}
