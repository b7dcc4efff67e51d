package io.flockgate.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.Polling;
import io.flockgate.testsupport.Programs;
import io.flockgate.testsupport.Signals;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The shell that guards a command. */
@Tag("process")
class GuardTest {
    /** The signal in the masks of {@code /proc}. */
    private static final long TERM = 1L << 14;

    private static final String TOKEN = "0123456789abcdef0123456789abcdef";

    private static Process guard() throws IOException {
        return new ProcessBuilder("/bin/sh", "-c", Guard.SCRIPT, "guard", "10", "kill").start();
    }

    private static Process guard(String lines) throws IOException {
        Process guard = guard();
        write(guard, lines);
        guard.getOutputStream().close();
        return guard;
    }

    private static void write(Process guard, String lines) throws IOException {
        guard.getOutputStream().write(lines.getBytes(StandardCharsets.US_ASCII));
        guard.getOutputStream().flush();
    }

    private static Process command() throws Exception {
        ProcessBuilder builder = new ProcessBuilder("sleep", "600");
        builder.environment().put("FLOCKGATE_LEASE_TOKEN", TOKEN);
        return builder.start();
    }

    @Test
    void aCommandWhoseProcessWasNotNamedYetIsEnded() throws Exception {
        Process command = command();
        try {
            Process guard = guard(TOKEN + "\n");
            assertThat(Programs.awaitEnd(command)).isEqualTo(128 + 15);
            Programs.awaitEnd(guard);
        } finally {
            command.destroyForcibly();
        }
    }

    /** As a signal to the group that comes while the command is being started. */
    @Test
    void aSignalThatCameBeforeTheCommandIsPassedToIt() throws Exception {
        Process guard = guard();
        assertThat(Polling.until(() -> catchesTerm(guard), caught -> caught)).isTrue();
        boolean unused = guard.toHandle().destroy();
        Process command = command();
        try {
            write(guard, TOKEN + "\n" + command.pid() + "\nTERM!\n");
            assertThat(Programs.awaitEnd(command)).isEqualTo(128 + 15);
            write(guard, "end\n");
            Programs.awaitEnd(guard);
        } finally {
            command.destroyForcibly();
            guard.destroyForcibly();
        }
    }

    /** As a signal to the group that comes soon after the start, on a busy machine. */
    @Test
    void aSignalThatReachedTheCommandBeforeTheGuardKnewOfItIsNotPassedToIt() throws Exception {
        Process guard = guard();
        assertThat(Polling.until(() -> catchesTerm(guard), caught -> caught)).isTrue();
        String script = "trap 'echo TERM' TERM; trap 'exit 7' WINCH; echo ready; while :; do sleep 0.02; done";
        Process command = new ProcessBuilder("sh", "-c", script).start();
        try (BufferedReader seen = command.inputReader()) {
            assertThat(seen.readLine()).isEqualTo("ready");
            Signals.send("TERM", guard.pid(), command.pid());
            assertThat(seen.readLine()).isEqualTo("TERM");
            // A shell handles WINCH after TERM.
            write(guard, TOKEN + "\n" + command.pid() + "\nTERM\nWINCH\nend\n");
            assertThat(seen.readLine()).isNull();
            assertThat(Programs.awaitEnd(command)).isEqualTo(7);
            Programs.awaitEnd(guard);
        } finally {
            command.destroyForcibly();
            guard.destroyForcibly();
        }
    }

    private static boolean catchesTerm(Process process) throws IOException {
        return Files.readAllLines(Path.of("/proc/" + process.pid() + "/status")).stream()
                .filter(line -> line.startsWith("SigCgt:"))
                .anyMatch(line -> (HexFormat.fromHexDigitsToLong(line, 8, line.length()) & TERM) != 0);
    }

    @Test
    void afterTheEndNothingIsEnded() throws Exception {
        Process command = command();
        try {
            Programs.awaitEnd(guard(TOKEN + "\n" + command.pid() + "\nend\n"));
            Programs.awaitEnd(guard(TOKEN + "\nend\n"));
            Programs.awaitEnd(guard(""));
            assertThat(command.isAlive()).isTrue();
        } finally {
            command.destroyForcibly();
        }
    }
}
