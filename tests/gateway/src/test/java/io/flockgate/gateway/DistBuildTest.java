package io.flockgate.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The message of the script that makes the distribution if it cannot make one for another platform,
 * and the checksums of a download.
 */
@Tag("process")
class DistBuildTest {
    private static final String OTHER = System.getProperty("os.arch").equals("aarch64") ? "linux-x64" : "linux-aarch64";

    private static final String CHECKSUMS = Repository.file("deploy/checksums").toString();

    @TempDir
    Path directory;

    private String refusal(String platform, String jdk) throws Exception {
        Path out = directory.resolve("out");
        try (GatewayProcess build = GatewayLauncher.of(List.of(
                        "sh",
                        Repository.file("deploy/dist/build").toString(),
                        "0",
                        "2026-11-21T00:00:00Z",
                        out.toString()))
                .environment("JAVA_HOME", System.getProperty("java.home"))
                .environment("FLOCKGATE_PLATFORM", platform)
                .environment("FLOCKGATE_TARGET_JDK", jdk)
                .launch()) {
            assertThat(build.exitStatus()).isEqualTo(1);
            assertThat(out).doesNotExist();
            return build.err();
        }
    }

    @Test
    void itNamesWhatIsMissing() throws Exception {
        assertThat(refusal("windows", "")).contains("there are linux-x64 and linux-aarch64");
        assertThat(refusal(OTHER, ""))
                .contains("set FLOCKGATE_TARGET_JDK to a JDK 25 for " + OTHER + " that has the directory jmods");
        assertThat(refusal(OTHER, directory.toString()))
                .contains(directory + " has no jmods/java.base.jmod", "build on " + OTHER);
        Files.createDirectories(directory.resolve("jmods"));
        Files.writeString(directory.resolve("jmods/java.base.jmod"), "");
        Files.writeString(directory.resolve("release"), "JAVA_RUNTIME_VERSION=\"24+1\"\n");
        assertThat(refusal(OTHER, directory.toString())).contains("must be of one version");
    }

    @Test
    void theChecksumsListEveryFileOnceInOneOrderAndFindAChange() throws Exception {
        Files.writeString(directory.resolve("b.deb"), "b");
        Files.createDirectory(directory.resolve("a"));
        Path file = Files.writeString(directory.resolve("a/two words.json"), "a");
        assertThat(run(CHECKSUMS, directory.toString())).isZero();
        String sums = Files.readString(directory.resolve("SHA256SUMS"));
        assertThat(sums.lines().map(line -> line.substring(66))).containsExactly("a/two words.json", "b.deb");
        assertThat(run(CHECKSUMS, directory.toString())).isZero();
        assertThat(directory.resolve("SHA256SUMS")).hasContent(sums);

        String[] check = {"sha256sum", "--check", "--strict", "SHA256SUMS"};
        assertThat(run(check)).isZero();
        Files.writeString(file, "other");
        assertThat(run(check)).isNotZero();
    }

    @Test
    void withoutFilesThereIsNothingToSum() throws Exception {
        assertThat(run(CHECKSUMS, directory.toString())).isEqualTo(1);
        assertThat(run(CHECKSUMS, directory.resolve("none").toString())).isEqualTo(2);
        assertThat(directory).isEmptyDirectory();
    }

    private int run(String... words) throws IOException, InterruptedException {
        return new ProcessBuilder(words)
                .directory(directory.toFile())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }
}
