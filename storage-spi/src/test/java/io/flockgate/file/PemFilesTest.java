package io.flockgate.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PemFilesTest {
    @TempDir
    private Path directory;

    private Path file(String text) throws IOException {
        return Files.writeString(directory.resolve("file.pem"), text);
    }

    @Test
    void authoritiesAreAtLeastOneCertificateAndNothingElse() throws IOException {
        Path empty = file("");
        assertThatIOException()
                .isThrownBy(() -> assertThat(PemFiles.authorities(empty)).isNull())
                .withMessage("it contains no certificate");
        Path text = file("no PEM in here\n");
        assertThatIOException()
                .isThrownBy(() -> assertThat(PemFiles.authorities(text)).isNull())
                .withMessage("it contains something other than certificates");
    }

    @Test
    void aFileHasUpToAMebibyte() throws IOException {
        assertThat(PemFiles.read(file("x".repeat(1 << 20)))).hasSize(1 << 20);
        Path longer = file("x".repeat((1 << 20) + 1));
        assertThatIOException()
                .isThrownBy(() -> assertThat(PemFiles.read(longer)).isNull())
                .withMessage("it is longer than 1 MiB");
    }
}
