package io.flockgate.consul.testbed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConsulBinaryTest {
    @TempDir
    private Path folder;

    @Test
    void aVariableThatNamesNoProgramFailsAndSaysTheWays() {
        assertThatThrownBy(() -> ConsulBinary.named(folder.toString()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("FLOCKGATE_TEST_CONSUL", "PATH", "Docker", "fetch-consul");
        assertThat(ConsulBinary.named(null)).isEmpty();
        assertThat(ConsulBinary.named("")).isEmpty();
    }

    @Test
    void theFirstConsulOnThePathIsTaken() throws IOException {
        Path program = Files.createFile(folder.resolve("consul"));
        assertThat(ConsulBinary.onPath("/none::" + folder)).isEmpty();
        assertThat(program.toFile().setExecutable(true)).isTrue();
        assertThat(ConsulBinary.onPath("/none::" + folder)).contains(program);
        assertThat(ConsulBinary.onPath(null)).isEmpty();
    }

    @Test
    void DockerIsAskedOnlyWhereSomethingPointsToIt() throws IOException {
        assertThat(ContainerAgent.configured(Map.of("XDG_RUNTIME_DIR", folder.toString()), folder, folder))
                .isFalse();
        assertThat(ContainerAgent.configured(Map.of("DOCKER_HOST", "tcp://127.0.0.1:1"), folder, folder))
                .isTrue();
        Files.createDirectories(folder.resolve("var/run"));
        Files.createFile(folder.resolve("var/run/docker.sock"));
        assertThat(ContainerAgent.configured(Map.of("XDG_RUNTIME_DIR", folder.toString()), folder, folder))
                .isTrue();
    }
}
