package io.flockgate.consul.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.Programs;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script with the test's own PATH and cache; nothing is fetched from anywhere. */
@Tag("process")
class FetchConsulTest {
    private static final Path SCRIPT = ConsulBinary.SCRIPT.script();

    @TempDir
    private Path folder;

    private Path tools;
    private Path cache;

    @BeforeEach
    void linkTheTools() throws IOException {
        tools = Files.createDirectory(folder.resolve("tools"));
        cache = folder.resolve("cache");
        String needed = "bash realpath mkdir mktemp rm mv ls cat id grep sed awk tr flock dpkg dpkg-deb apt-get";
        for (String tool : needed.split(" ", -1)) {
            for (Path bin : Pattern.compile(File.pathSeparator)
                    .splitAsStream(System.getenv("PATH"))
                    .map(Path::of)
                    .toList()) {
                if (Files.isExecutable(bin.resolve(tool)) && !Files.exists(tools.resolve(tool))) {
                    Files.createSymbolicLink(tools.resolve(tool), bin.resolve(tool));
                }
            }
        }
    }

    /** Prevents JUnit's warning about each link that it finds. */
    @AfterEach
    void unlinkTheTools() throws IOException {
        try (Stream<Path> links = Files.list(tools)) {
            for (Path link : links.toList()) {
                Files.delete(link);
            }
        }
    }

    @Test
    void theVariableWinsOverThePathAndThePathOverTheCache() throws IOException {
        Path named = consul(folder.resolve("named/my-consul"));
        Path onPath = consul(tools.resolve("consul"));
        Path cached = consul(cache.resolve("flockgate/consul-9.9.9/usr/bin/consul"));

        assertThat(fetch(Map.of("FLOCKGATE_TEST_CONSUL", named.toString()))).isEqualTo(found(named));
        assertThat(fetch(Map.of())).isEqualTo(found(onPath));
        Files.delete(onPath);
        assertThat(fetch(Map.of())).isEqualTo(found(cached));
    }

    @Test
    void aWrongVariableIsAnErrorBesideAnotherConsul() throws IOException {
        assertThat(Files.exists(consul(tools.resolve("consul")))).isTrue();
        CliResult result =
                fetch(Map.of("FLOCKGATE_TEST_CONSUL", folder.resolve("none").toString()));
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.output()).contains("is not a consul that runs here", "put a consul binary on PATH");
    }

    @Test
    void aBrokenBinaryInTheCacheIsPassedOver() throws IOException {
        Path broken = consul(cache.resolve("flockgate/consul-1.0.0/usr/bin/consul"));
        Files.writeString(broken, "#!/bin/sh\nexit 3\n");
        Path whole = consul(cache.resolve("flockgate/consul-2.0.0/usr/bin/consul"));
        assertThat(fetch(Map.of())).isEqualTo(found(whole));
    }

    @Test
    void whereNothingWorksItSaysWhatWouldAndLeavesNoRest() throws IOException {
        String nowhere = folder.resolve("no-mirror").toUri().toString();
        CliResult result = fetch(Map.of("FLOCKGATE_TEST_MIRROR", nowhere));
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.output())
                .contains("no consul found", "set FLOCKGATE_TEST_CONSUL", "put a consul binary on PATH");
        if (Files.exists(cache.resolve("flockgate"))) {
            try (Stream<Path> left = Files.list(cache.resolve("flockgate"))) {
                assertThat(left.map(Path::getFileName))
                        .allMatch(name -> name.toString().equals("fetch.lock"));
            }
        }
    }

    private CliResult fetch(Map<String, String> more) {
        ProcessBuilder builder = new ProcessBuilder(SCRIPT.toString());
        builder.environment().clear();
        builder.environment().put("PATH", tools.toString());
        builder.environment().put("HOME", folder.toString());
        builder.environment().put("XDG_CACHE_HOME", cache.toString());
        builder.environment().putAll(more);
        return Commands.run(builder);
    }

    private static CliResult found(Path path) throws IOException {
        return new CliResult(0, path.toRealPath() + "\n");
    }

    private static Path consul(Path path) throws IOException {
        return Programs.write(path, "#!/bin/sh\nexit 0\n");
    }
}
