package io.flockgate.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The checksums of a download, written by the script and read by sha256sum. */
@Tag("process")
class ChecksumsTest {
    private static final Path SCRIPT = Repository.file("deploy/checksums");

    @TempDir
    private Path folder;

    @Test
    void everyFileIsListedOnceInOneOrder() throws Exception {
        Files.writeString(folder.resolve("b.deb"), "b");
        Files.createDirectory(folder.resolve("a"));
        Files.writeString(folder.resolve("a/two words.json"), "a");
        assertThat(run(SCRIPT.toString(), folder.toString())).isZero();
        String sums = Files.readString(folder.resolve("SHA256SUMS"));
        assertThat(sums.lines().map(line -> line.substring(66))).containsExactly("a/two words.json", "b.deb");
        assertThat(run(SCRIPT.toString(), folder.toString())).isZero();
        assertThat(folder.resolve("SHA256SUMS")).hasContent(sums);
    }

    @Test
    void aFileThatHasChangedIsFound() throws Exception {
        Path file = Files.writeString(folder.resolve("flockgate.tar.gz"), "whole");
        assertThat(run(SCRIPT.toString(), folder.toString())).isZero();
        assertThat(check()).isZero();
        Files.writeString(file, "other");
        assertThat(check()).isNotZero();
    }

    @Test
    void withoutFilesThereIsNothingToSum() throws Exception {
        assertThat(run(SCRIPT.toString(), folder.toString())).isEqualTo(1);
        assertThat(run(SCRIPT.toString(), folder.resolve("none").toString())).isEqualTo(2);
        assertThat(folder).isEmptyDirectory();
    }

    private int check() throws IOException, InterruptedException {
        return run("sha256sum", "--check", "--strict", "SHA256SUMS");
    }

    private int run(String... words) throws IOException, InterruptedException {
        return new ProcessBuilder(words)
                .directory(folder.toFile())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }
}
