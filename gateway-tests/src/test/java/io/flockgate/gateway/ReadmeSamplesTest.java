package io.flockgate.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the samples of the README's part "The first lock". A sample whose language this machine
 * lacks is checked by its text: it must send the request that the Python sample sends.
 */
@Tag("process")
class ReadmeSamplesTest {
    private static final String REQUEST = "l\\ndeploy\\n10\\n";
    private static final String OK = "ok [0-9a-f]{32} 33\\s*";
    private static final Pattern BLOCK = Pattern.compile("(?s)```(\\w+)\\n(.*?)```");

    @TempDir
    Path directory;

    @Test
    void runHoldsTheLockForACommand() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp()) {
            String flockgate = "'" + java() + "' -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED -cp '"
                    + System.getProperty("java.class.path") + "' io.flockgate.gateway.Main";
            String script = sample("sh", 0).replaceFirst("^flockgate", Matcher.quoteReplacement(flockgate));
            assertThat(run(gateway, List.of("sh", "-ec", script))).matches("deploying, fence \\d+\\s*");
        }
    }

    @Test
    void curl() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp()) {
            assertThat(run(gateway, List.of("sh", "-ec", ports(gateway, sample("sh", 1)))))
                    .contains("\"token\":\"")
                    .contains("\"lease_ttl_s\":33");
        }
    }

    @Test
    void python() throws Exception {
        check("python", "", "", "sample.py", List.of("python3"));
    }

    @Test
    void go() throws Exception {
        String imports = "package main\nimport (\n\"bufio\"\n\"fmt\"\n\"log\"\n\"net\"\n)\nfunc main() {\n";
        check("go", imports, "}\n", "sample.go", List.of("go", "run"));
    }

    @Test
    void typescript() throws Exception {
        // The sample has no type annotation, so Node.js runs it as is.
        check("typescript", "", "", "sample.mjs", List.of("node"));
    }

    @Test
    void javaClient() throws Exception {
        String imports = "import io.flockgate.client.*;\nimport java.net.URI;\nimport java.time.Duration;\n";
        try (TestGateway gateway = TestGateway.startWithHttp()) {
            Path file = directory.resolve("Sample.java");
            String code = imports + "void main() throws Exception {\n" + sample("java", 0) + "}\n";
            Files.writeString(file, ports(gateway, code));
            assertThat(run(gateway, List.of(java(), "-cp", System.getProperty("java.class.path"), file.toString())))
                    .matches("ok \\d+\\s*");
        }
    }

    private void check(String language, String before, String after, String file, List<String> program)
            throws Exception {
        String sample = sample(language, 0);
        assertThat(sample).contains(REQUEST).contains("127.0.0.1").contains("6388");
        if (!installed(program.getFirst())) {
            System.out.println("ReadmeSamplesTest: no " + program.getFirst() + ", so only the text was checked");
            return;
        }
        try (TestGateway gateway = TestGateway.startWithHttp()) {
            Path source = directory.resolve(file);
            Files.writeString(source, ports(gateway, before + sample + after));
            List<String> command = Stream.concat(program.stream(), Stream.of(source.toString()))
                    .toList();
            assertThat(run(gateway, command)).matches(OK);
        }
    }

    private static boolean installed(String program) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
    }

    private static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    private static String ports(TestGateway gateway, String code) {
        return code.replace("6388", Integer.toString(gateway.port()))
                .replace("6389", Integer.toString(gateway.httpPort()));
    }

    private static String run(TestGateway gateway, List<String> command) throws Exception {
        try (GatewayProcess process = GatewayLauncher.of(command)
                .environment("FLOCKGATE_SERVER", "127.0.0.1:" + gateway.port())
                .launch()) {
            assertThat(process.exitStatus()).as(process::logTail).isZero();
            return process.out();
        }
    }

    /** A block of the README's part "The first lock", counted from 0 for each language. */
    private static String sample(String language, int number) throws Exception {
        String readme = Files.readString(Path.of("..", "README.md"));
        int start = readme.indexOf("\n## The first lock\n");
        String part = readme.substring(start, readme.indexOf("\n## ", start + 1));
        return BLOCK.matcher(part)
                .results()
                .filter(block -> block.group(1).equals(language))
                .skip(number)
                .findFirst()
                .orElseThrow()
                .group(2);
    }
}
