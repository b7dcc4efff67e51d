package io.flockgate.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.Repository;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The message of the script that makes the distribution if it cannot make one for another platform.
 */
@Tag("process")
class DistBuildTest {
    private static final String OTHER = System.getProperty("os.arch").equals("aarch64") ? "linux-x64" : "linux-aarch64";

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
}
