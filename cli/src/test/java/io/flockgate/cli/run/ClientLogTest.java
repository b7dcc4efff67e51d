package io.flockgate.cli.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.cli.run.Notices.ClientLog;
import io.flockgate.client.support.RareLog;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The warnings of the client in a command. */
class ClientLogTest {
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    /** The command itself reports claims that failed, and losses. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            QUIET | renewals | flockgate run: it failed
            JSON  | renewals | {"event":"warning","key":"deploy","message":"it failed"}
            QUIET | claims   | ''
            QUIET | losses   | ''
            """)
    void aWarningIsANoticeOfTheCommand(Notices.Style style, String topic, String notice) {
        Notices notices = new Notices(new PrintStream(err, true, UTF_8), "run", "deploy", style);
        new RareLog(new ClientLog(topic, notices), System::nanoTime, 1, Runnable::run).warn(() -> "it failed");
        assertThat(err.toString(UTF_8).strip()).isEqualTo(notice);
    }
}
