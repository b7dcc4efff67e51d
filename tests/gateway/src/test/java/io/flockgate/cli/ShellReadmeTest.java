package io.flockgate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The commands of the guide to first locks, "From the shell". */
@Tag("process")
@Execution(ExecutionMode.CONCURRENT)
class ShellReadmeTest {
    private static final Pattern BLOCK = Pattern.compile("(?s)```sh\\n(.*?)```");

    @TempDir
    Path directory;

    private void program(String name, String script) throws IOException {
        Path file = directory.resolve(name);
        Files.writeString(file, "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static String commands() throws IOException {
        String page = Files.readString(Repository.file("docs/guide/first-locks.md"));
        int start = page.indexOf("## From the shell");
        String part = page.substring(start, page.indexOf("\n## ", start));
        StringBuilder commands = new StringBuilder();
        Matcher blocks = BLOCK.matcher(part);
        while (blocks.find()) {
            commands.append(blocks.group(1));
        }
        return commands.toString();
    }

    @Test
    void theCommandsRun() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp()) {
            program(
                    "flockgate",
                    "exec '" + Path.of(System.getProperty("java.home"), "bin", "java")
                            + "' -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED -cp '"
                            + System.getProperty("java.class.path") + "' io.flockgate.gateway.Main \"$@\"");
            String server = "127.0.0.1:" + gateway.port();
            String script = commands()
                    .replace("127.0.0.1:6388", server)
                    .replace("http://127.0.0.1:6389", "http://127.0.0.1:" + gateway.httpPort());
            List<String> line =
                    List.of("sh", "-c", "cd \"$0\" && set -e && PATH=$0:$PATH && " + script, directory.toString());
            try (GatewayProcess shell = GatewayLauncher.of(line)
                    .environment("FLOCKGATE_SERVER", server)
                    .launch()) {
                assertThat(shell.exitStatus()).as(shell::logTail).isZero();
                assertThat(shell.err()).isEmpty();
                assertThat(shell.out().lines().map(each -> each.replaceAll(" +", " ")))
                        .satisfiesExactly(
                                each -> assertThat(each).matches("deploying, fence \\d+"),
                                each -> assertThat(each).isEqualTo("status 3"),
                                each -> assertThat(each).isEqualTo("one of four"),
                                each -> assertThat(each).startsWith("KEY KIND "),
                                each -> assertThat(each).startsWith("deploy lock 1 0 0 "),
                                each -> assertThat(each).startsWith("KEY KIND "),
                                each -> assertThat(each).startsWith("deploy lock 1 0 0"));
            }
        }
    }
}
