package io.flockgate.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.Programs;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The shell that guards a command. */
@Tag("process")
class GuardTest {
    private static final String TOKEN = "0123456789abcdef0123456789abcdef";

    private static Process guard(String lines) throws Exception {
        Process guard = new ProcessBuilder("/bin/sh", "-c", Guard.SCRIPT, "guard", "10", "kill").start();
        guard.getOutputStream().write(lines.getBytes(StandardCharsets.US_ASCII));
        guard.getOutputStream().close();
        return guard;
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
