package io.flockgate.cli.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.cli.keys.ListCommand;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The sub-commands with an unusable {@code --ca-file}. */
class CaFileTest {
    @TempDir
    private Path directory;

    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(err, true, UTF_8);

    @Tag("process")
    @ParameterizedTest
    @ValueSource(strings = {"flockgates", "flockgate", "https", "http", "consul", "consuls"})
    void aFileWithoutAnAuthorityIsAWrongOption(String scheme) throws Exception {
        Path empty = Files.writeString(directory.resolve("ca.pem"), "");
        List<String> args = List.of(
                "--server=" + scheme + "://127.0.0.1:1", "--ca-file=" + empty, "--key=k", "--wait=0", "--", "true");
        assertThat(RunCommand.run(args, Map.of(), out, out, SignalInbox::closed))
                .isEqualTo(2);
        assertThat(err.toString(UTF_8))
                .startsWith("flockgate run: --ca-file: cannot read ")
                .contains("it contains no certificate")
                .hasLineCount(1);
    }

    @Test
    void theVariableIsCheckedInTheSameWay() throws Exception {
        Path empty = Files.writeString(directory.resolve("ca.pem"), "");
        Map<String, String> variables = Map.of("FLOCKGATE_CA_FILE", empty.toString());
        assertThat(ListCommand.run(List.of("--server=https://127.0.0.1:1"), variables, out, out))
                .isEqualTo(2);
        assertThat(err.toString(UTF_8)).contains("it contains no certificate");
    }
}
