package io.flockgate.consul.testbed;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.Polling;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("consul")
class OrphansTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @Test
    void aKilledJVMLeavesNeitherAgentsNorTheirFiles(@TempDir Path temporary) throws Exception {
        Process jvm = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Djava.io.tmpdir=" + temporary,
                        "-cp",
                        System.getProperty("java.class.path"),
                        OrphanMain.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        List<Long> agents = List.of();
        try (BufferedReader said = new BufferedReader(new InputStreamReader(jvm.getInputStream(), UTF_8))) {
            agents = Pattern.compile(" ")
                    .splitAsStream(String.valueOf(said.readLine()))
                    .map(Long::valueOf)
                    .toList();
            assertThat(agents)
                    .hasSize(2)
                    .allSatisfy(pid -> assertThat(ProcessHandle.of(pid)).isPresent());
            assertThat(directories(temporary)).hasSize(2);

            assertThat(jvm.destroyForcibly().waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();

            for (long agent : agents) {
                Polling.until("agent ends", () -> !lives(agent));
            }
            Polling.until("files go", () -> directories(temporary).isEmpty());
        } finally {
            jvm.destroyForcibly();
            agents.stream().flatMap(pid -> ProcessHandle.of(pid).stream()).forEach(ProcessHandle::destroyForcibly);
        }
    }

    /** A dead process that its parent has not reaped yet no longer has a command. */
    private static boolean lives(long pid) {
        return ProcessHandle.of(pid)
                .flatMap(process -> process.info().command())
                .isPresent();
    }

    private static List<Path> directories(Path temporary) {
        try (Stream<Path> files = Files.list(temporary)) {
            return files.filter(file -> file.getFileName().toString().startsWith("flockgate-consul"))
                    .toList();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
