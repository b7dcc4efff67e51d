package io.flockgate.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Signals;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code flockgate run} as a process: signals, and what happens to the command when it is killed.
 */
@Tag("process")
@Execution(ExecutionMode.CONCURRENT)
class RunProcessTest {
    /** Writes a line for each signal that it receives; TERM ends it with status 7. */
    private static final String TRAPS = """
            for name in INT HUP USR1 USR2 WINCH; do trap "echo $name >>'$0'" $name; done
            trap "echo TERM >>'$0'; exit 7" TERM
            echo $PPID >>"$0"; echo ready >>"$0"
            while :; do sleep 0.02; done
            """;

    @AutoClose
    private static final TestGateway gateway = TestGateway.start();

    @TempDir
    Path directory;

    /**
     * Runs in its own session, because in a terminal's foreground it does not forward the signals
     * that the terminal sends.
     */
    private static GatewayProcess run(String... args) {
        return behind("setsid").flags(args).launch();
    }

    /** The command that these words run as their last argument, without its own options. */
    private static GatewayLauncher behind(String... words) {
        List<String> line = new ArrayList<>(List.of(words));
        line.addAll(java());
        line.addAll(List.of("run", "--server=127.0.0.1:" + gateway.port()));
        return GatewayLauncher.of(line);
    }

    static List<String> java() {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                "io.flockgate.gateway.Main");
    }

    private Path file(String name) {
        return directory.resolve(name);
    }

    @ParameterizedTest
    @CsvSource({"'', unset", "C, C"})
    void theCommandGetsTheLocaleThatTheLauncherReplaced(String callers, String given) throws Exception {
        String script = "echo \"$1 ${LC_ALL-unset} ${FLOCKGATE_CALLER_LC_ALL-unset}\"";
        try (GatewayProcess process = behind().flags("--key=locale" + callers, "--", "sh", "-c", script, "sh", "\u00fc")
                .environment("LC_ALL", "C.UTF-8")
                .environment("FLOCKGATE_CALLER_LC_ALL", callers)
                .launch()) {
            assertThat(process.exitStatus()).isZero();
            assertThat(process.out()).isEqualTo("\u00fc " + given + " unset\n");
        }
    }

    /**
     * As under {@code flock}: pipes of the caller, such as that of make's job server, stay open.
     */
    private static GatewayProcess runWithDescriptors(String... command) {
        return behind("/bin/bash", "-c", "exec \"$@\" 3< <(echo in) 63>&1 9>&1 10>&- 250>&- 251>&-", "bash")
                .flags("--key=pipes-" + List.of(command).hashCode(), "--")
                .flags(command)
                .environment("FLOCKGATE_DESCRIPTORS", "3 63")
                .launch();
    }

    @Test
    void theCommandGetsTheDescriptorsThatTheLauncherListsAndNoOther() throws Exception {
        String script =
                "cat <&3; echo out >&63; echo /proc/$$/fd/*; echo ${FLOCKGATE_DESCRIPTORS-unset} $FLOCKGATE_KEY";
        try (GatewayProcess process = runWithDescriptors("/bin/bash", "-c", script)) {
            assertThat(process.exitStatus()).isZero();
            assertThat(process.out().replaceAll("/proc/\\d+/fd/", ""))
                    .as("one more is the directory's")
                    .matches("in\nout\n0 1 2 3( 4)? 63\nunset pipes-.*\n");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "exit 7 | 7",
                "kill -9 $$ | 137",
                "kill -QUIT $$ | 131",
                "trap \"exit 5\" TERM; kill $PPID; while :; do sleep 0.02; done | 5"
            })
    void theStatusOfACommandWithDescriptorsIsPassedOn(String script, int status) throws Exception {
        try (GatewayProcess process = runWithDescriptors("/bin/sh", "-c", script)) {
            assertThat(process.exitStatus()).isEqualTo(status);
        }
    }

    @Test
    void aCommandWithDescriptorsThatCannotStartIsReported() throws Exception {
        try (GatewayProcess process = runWithDescriptors("/nowhere/command")) {
            assertThat(process.exitStatus()).isEqualTo(127);
            assertThat(process.err()).contains("cannot run \"/nowhere/command\": no such command");
        }
        Path script = Files.writeString(file("script"), "echo run by the shell");
        try (GatewayProcess process = runWithDescriptors(script.toString())) {
            assertThat(process.exitStatus()).isEqualTo(126);
            assertThat(process.err()).contains("Permission denied");
        }
        assertThat(script.toFile().setExecutable(true)).isTrue();
        try (GatewayProcess process = runWithDescriptors(script.toString())) {
            assertThat(process.out()).isEqualTo("run by the shell\n");
            assertThat(process.exitStatus()).isZero();
        }
    }

    @Test
    void signalsAreForwardedAndTheCommandDecides() throws Exception {
        Path seen = file("seen");
        try (GatewayProcess process = run("--key=signals", "--", "sh", "-c", TRAPS, seen.toString())) {
            Waits.untilContains(seen, "ready");
            for (String name : List.of("INT", "HUP", "USR1", "USR2", "WINCH", "TERM")) {
                process.signal(name);
                Waits.untilContains(seen, name);
            }
            assertThat(process.exitStatus()).isEqualTo(7);
            assertThat(process.err()).isEmpty();
        }
        assertThat(Waits.lines(seen)).containsOnlyOnce("INT", "HUP", "USR1", "USR2", "WINCH", "TERM");
        try (LineClient next = gateway.client()) {
            assertThat(next.ask("l", "signals", "0")).as("released").startsWith("ok ");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "setsid"})
    void aSignalForTheProcessGroupReachesTheCommandOnce(String left) throws Exception {
        Path seen = file("seen");
        String[] words = left.isEmpty() ? new String[] {"--"} : new String[] {"--", left};
        try (GatewayProcess process = behind("setsid")
                .flags("--key=group" + left)
                .flags(words)
                .flags("sh", "-c", TRAPS, seen.toString())
                .launch()) {
            Waits.untilContains(seen, "ready");
            // As timeout does.
            Signals.send("INT", process.pid(), -process.pid());
            Waits.untilContains(seen, "INT");
            Signals.send("HUP", -process.pid());
            Waits.untilContains(seen, "HUP");
            // Takes the way of a second INT, and is sent later.
            process.signal("USR1");
            Waits.untilContains(seen, "USR1");
            Signals.send("TERM", -process.pid());
            assertThat(process.exitStatus()).isEqualTo(7);
        }
        assertThat(Waits.lines(seen)).containsOnlyOnce("INT", "HUP", "USR1", "TERM");
    }

    @Test
    void aChildThatIsNotItsOwnDoesNotStayAsAZombie() throws Exception {
        Path pid = file("pid");
        String script = "while [ -e /proc/$(cat \"$0\") ]; do sleep 0.05; done";
        try (GatewayProcess process = behind("sh", "-c", "true & echo $! >\"$0\"; exec \"$@\"", pid.toString())
                .flags("--key=reaped", "--", "sh", "-c", script, pid.toString())
                .launch()) {
            assertThat(process.exitStatus()).isZero();
        }
    }

    @Test
    void aCommandThatEndsWhileItsWrapperIsStoppedTooLongHasLostTheLease() throws Exception {
        Path pids = file("pids");
        Path end = file("end");
        String script = "echo $$ >>\"$0\"; echo ready >>\"$0\"; while [ ! -e \"$1\" ]; do sleep 0.05; done";
        try (LineClient next = gateway.client();
                GatewayProcess process =
                        run("--key=stopped", "--lease=5s", "--", "sh", "-c", script, pids.toString(), end.toString())) {
            long command = Long.parseLong(Waits.untilContains(pids, "ready").getFirst());
            process.pause();
            assertThat(next.ask("l", "stopped", "60 60")).startsWith("ok ");
            Files.createFile(end);
            Waits.untilEnded(command);
            process.resume();
            assertThat(process.exitStatus()).isEqualTo(74);
            assertThat(process.err()).contains("the lease of stopped is lost");
        }
    }

    /** The command, which ignores TERM if it may be killed, and its child. */
    @ParameterizedTest
    @CsvSource({"kill, trap '' TERM", "term, :"})
    void aCommandDoesNotOutliveAWrapperThatIsKilled(String onLoss, String first) throws Exception {
        Path pids = file("pids");
        String script = first + "; sleep 600 & echo $! >>\"$0\"; echo $$ >>\"$0\"; echo ready >>\"$0\"; wait";
        String key = "--key=orphan-" + onLoss;
        try (GatewayProcess process =
                run(key, "--grace=200ms", "--on-loss=" + onLoss, "--", "sh", "-c", script, pids.toString())) {
            List<String> lines = Waits.untilContains(pids, "ready");
            process.kill();
            Waits.untilEnded(Long.parseLong(lines.get(1)));
            Waits.untilEnded(Long.parseLong(lines.get(0)));
        }
    }

    /**
     * The poller of virtual threads blocks in a system call, which would delay JVM exit by 300 ms.
     */
    @Test
    void noVirtualThreadReadsOrWrites() throws Exception {
        Path loaded = file("loaded");
        try (GatewayProcess process = behind().javaOptions("-Xlog:class+load:" + loaded)
                .flags("--key=quick", "--", "true")
                .launch()) {
            assertThat(process.exitStatus()).isZero();
        }
        assertThat(Files.readAllLines(loaded).stream()
                        .filter(each -> each.contains(".TcpBackend ") || each.contains(" sun.nio.ch.Poller ")))
                .singleElement()
                .asString()
                .contains("TcpBackend");
    }
}
