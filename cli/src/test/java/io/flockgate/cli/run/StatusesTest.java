package io.flockgate.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.cli.shared.CommandException;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class StatusesTest {
    /** In the words of JDK 25. */
    @Test
    void aSignalThatEndsTheStartOfAProgramGivesItsStatus() {
        String ended = "Cannot run program \"sh\": Failed to exec spawn helper: pid: 7487, signal: 15, error: 0 (none)";
        String missing = "Cannot run program \"sh\": Exec failed, error: 2 (No such file or directory) ";

        assertThat(Statuses.endedBySignal(new IOException(ended + " \nPossible reasons:\n"))
                        .map(CommandException::status))
                .contains(128 + 15);
        assertThat(Statuses.endedBySignal(new IOException(missing))).isEmpty();
    }
}
