package io.flockgate.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Programs;
import io.flockgate.testsupport.Repository;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the samples of the README's part "The first lock" and of the guide's "From the shell" as
 * printed, in a directory with the same files; only the ports differ. The programs of a language
 * that this machine lacks are left out.
 */
@Tag("process")
class ReadmeSamplesTest {
    private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin");
    private static final Pattern BLOCK = Pattern.compile("(?s)```(\\w*)\\n(.*?)```");
    private static final String GRANTED = "ok [0-9a-f]{32} 33\\s*";
    /** In processor time, on any machine: Go compiles its standard library at its first use. */
    private static final Duration COMPILING = Duration.ofMinutes(5);

    @TempDir
    Path directory;

    private TestGateway gateway;

    @BeforeEach
    void start() throws Exception {
        gateway = TestGateway.startWithHttp();
        Path launcher = directory.resolve("flockgate");
        Programs.write(
                launcher,
                "#!/bin/sh\nexec '" + JAVA.resolve("java")
                        + "' -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED -cp '"
                        + System.getProperty("java.class.path") + "' io.flockgate.gateway.Main \"$@\"\n");
    }

    @AfterEach
    void stop() {
        gateway.close();
    }

    /** Only the first command gets more time, so that the second one meets it on any machine. */
    @Test
    void aSecondRunPrintsThatItWaits() throws Exception {
        String command = sample("sh", 0).strip();
        try (GatewayProcess first = launch("exec " + command.replace("20", "600"));
                LineClient observer = gateway.client()) {
            observer.awaitStats("\"key\":\"deploy\"");
            String onTerminal = "exec env SHELL=/bin/sh script -qefc 'exec " + command + "' /dev/null >&2";
            try (GatewayProcess second = launch(onTerminal)) {
                String printed = sample("", 0).strip();
                String pattern = printed.replaceAll("\\d+", "\\\\d+").replace("laptop", "\\S+");
                // Preceded by the code that erases the line.
                second.awaitLog("(?m)^\\x1b\\[K" + pattern + "$");
            }
            assertThat(first.isAlive()).isTrue();
        }
    }

    @Test
    void curl() throws Exception {
        assertThat(run(ports(sample("sh", 1)))).contains("\"token\":\"").contains("\"lease_ttl_s\":33");
    }

    @Test
    void javaProgram() throws Exception {
        assertThat(sample("java", 0)).isEqualTo(Files.readString(Repository.file("docs/examples/FirstLock.java")));
        assertThat(run(command("java"))).matches("ok \\d+\\s*");
    }

    @Test
    void goProgram() throws Exception {
        requireInstalled("go");
        String command = command("go");
        try (GatewayProcess build = launch(command.replace("go run", "go build -o /dev/null"))) {
            assertThat(build.exitStatus(COMPILING)).as(build::logTail).isZero();
        }
        assertThat(run(command)).matches(GRANTED);
    }

    @Test
    void pythonProgram() throws Exception {
        requireInstalled("python3");
        assertThat(run(command("python3"))).matches(GRANTED);
    }

    @Test
    void javaScriptProgram() throws Exception {
        requireInstalled("node");
        assertThat(run(command("node"))).matches(GRANTED);
    }

    @Test
    void theShellCommandsOfTheGuide() throws Exception {
        String commands = String.join("", samples("docs/guide/first-locks.md", "From the shell", "sh"));
        try (GatewayProcess shell = launch(ports(commands))) {
            assertThat(shell.exitStatus()).as(shell::logTail).isZero();
            assertThat(shell.err()).isEmpty();
            assertThat(shell.out().replaceAll(" +", " "))
                    .matches("deploying, fence \\d+\nstatus 3\none of four\n"
                            + "KEY KIND .*\ndeploy lock 1 0 0 .*\nKEY KIND .*\ndeploy lock 1 0 0.*\n");
        }
    }

    /** Leaves the test out, which Maven reports, if the program is not installed. */
    private static void requireInstalled(String program) {
        assumeTrue(
                Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                        .anyMatch(directory -> Files.isExecutable(Path.of(directory, program))),
                "LEFT OUT: the sample of the README for " + program + ", which is not installed");
    }

    /** The README's command for a program, whose files are copied with the gateway's port. */
    private String command(String program) throws Exception {
        String command = sample("sh", 2)
                .lines()
                .filter(line -> line.startsWith(program + " "))
                .findFirst()
                .orElseThrow();
        for (String word : command.split(" ", -1)) {
            Path copy = directory.resolve(word);
            if (word.endsWith(".jar")) {
                Files.createDirectories(copy.getParent());
                Files.copy(Repository.file(word), copy);
            } else if (word.startsWith("docs/examples/")) {
                Files.createDirectories(copy.getParent());
                Files.writeString(copy, ports(Files.readString(Repository.file(word))));
            }
        }
        return command;
    }

    private String ports(String code) {
        assertThat(code).containsAnyOf("6388", "6389");
        return code.replace("6388", Integer.toString(gateway.port()))
                .replace("6389", Integer.toString(gateway.httpPort()));
    }

    private String run(String script) throws Exception {
        try (GatewayProcess process = launch(script)) {
            assertThat(process.exitStatus()).as(process::logTail).isZero();
            return process.out();
        }
    }

    private GatewayProcess launch(String script) {
        return GatewayLauncher.of(List.of("sh", "-ec", script))
                .directory(directory)
                .environment("PATH", JAVA + File.pathSeparator + System.getenv("PATH"))
                .environment("FLOCKGATE_SERVER", "127.0.0.1:" + gateway.port())
                .launch();
    }

    /** A block of the README's part "The first lock", counted from 0 for each language. */
    private static String sample(String language, int number) throws Exception {
        return samples("README.md", "The first lock", language).get(number);
    }

    private static List<String> samples(String page, String heading, String language) throws Exception {
        String text = Files.readString(Repository.file(page));
        int start = text.indexOf("\n## " + heading + "\n");
        return BLOCK.matcher(text.substring(start, text.indexOf("\n## ", start + 1)))
                .results()
                .filter(block -> block.group(1).equals(language))
                .map(block -> block.group(2))
                .toList();
    }
}
