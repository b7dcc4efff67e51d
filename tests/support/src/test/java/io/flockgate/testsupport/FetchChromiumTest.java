package io.flockgate.testsupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;

/**
 * The script with the test's own cache and an apt that always fails; nothing is fetched from
 * anywhere.
 */
@Tag("process")
@Execution(CONCURRENT)
class FetchChromiumTest {
    private static final Path SCRIPT = Repository.file("tests/support/fetch-chromium");

    @TempDir
    private Path folder;

    private Path tools;

    @BeforeEach
    void makeAPathWithoutABrowser() throws IOException {
        tools = Files.createDirectory(folder.resolve("tools"));
        Files.createDirectory(folder.resolve("temporary"));
        program(tools.resolve("apt-get"), "exit 100");
        for (String name :
                new String[] {"chromium-headless-shell", "chromium", "google-chrome", "google-chrome-stable"}) {
            program(tools.resolve(name), "exit 3");
        }
    }

    @Test
    void whereNothingWorksItSaysWhatWouldAndLeavesNoRest() throws Exception {
        assertThat(fetch(
                        Map.of("FLOCKGATE_TEST_CHROMIUM", folder.resolve("none").toString())))
                .startsWith("1 ")
                .contains("is not a Chromium that runs here");
        program(folder.resolve("cache/flockgate/chromium-1.0/chromium"), "exit 3");
        assertThat(fetch(Map.of()))
                .startsWith("1 ")
                .contains(
                        "apt knows no chromium-headless-shell", "set FLOCKGATE_TEST_CHROMIUM", "google-chrome on PATH");
        assertThat(folder.resolve("cache/flockgate").toFile().list())
                .containsExactlyInAnyOrder("chromium-1.0", "fetch-chromium.lock");
    }

    @Test
    void aMachineWithoutAptCannotHaveOneAndIsToldSoInOneLine() throws Exception {
        Path system = Files.createDirectory(folder.resolve("system"));
        for (String name : new String[] {"bash", "cat", "env", "grep", "mktemp", "rm", "timeout"}) {
            Files.createSymbolicLink(system.resolve(name), Path.of("/usr/bin", name));
        }
        assertThat(fetch(Map.of("PATH", system.toString())))
                .startsWith("3 ")
                .contains("no apt-get to fetch", "on PATH")
                .hasLineCount(1);
    }

    /** The exit status and all output. */
    private String fetch(Map<String, String> more) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(SCRIPT.toString()).redirectErrorStream(true);
        builder.environment()
                .putAll(Map.of(
                        "PATH",
                        tools + ":" + System.getenv("PATH"),
                        "TMPDIR",
                        folder.resolve("temporary").toString(),
                        "XDG_CACHE_HOME",
                        folder.resolve("cache").toString()));
        builder.environment().remove("FLOCKGATE_TEST_CHROMIUM");
        builder.environment().putAll(more);
        Process process = builder.start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return process.waitFor() + " " + output;
    }

    private static void program(Path path, String command) throws IOException {
        Programs.write(path, "#!/bin/sh\n" + command + "\n");
    }
}
