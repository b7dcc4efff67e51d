package io.flockgate.cli.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.cli.run.Notices.ClientLog;
import io.flockgate.client.support.RareLog;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.Test;

/** The warnings of the client in a command. */
class ClientLogTest {
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private Notices notices(Notices.Style style) {
        return new Notices(new PrintStream(err, true, UTF_8), "run", "deploy", style);
    }

    private void warn(Notices.Style style, String topic, String message) {
        new RareLog(new ClientLog(topic, notices(style)), System::nanoTime, 1, Runnable::run).warn(() -> message);
    }

    @Test
    void aWarningIsANoticeOfTheCommand() {
        warn(Notices.Style.QUIET, "renewals", "lease deploy: a renewal failed");

        assertThat(err.toString(UTF_8)).isEqualTo("flockgate run: lease deploy: a renewal failed\n");
    }

    @Test
    void inJsonItIsAnEvent() {
        warn(Notices.Style.JSON, "renewals", "lease deploy: a renewal failed");

        assertThat(err.toString(UTF_8)).startsWith("{\"event\":\"warning\",").contains("a renewal failed");
    }

    @Test
    void whatTheCommandReportsItselfIsLeftOut() {
        warn(Notices.Style.QUIET, "claims", "lease deploy: the claim failed");
        warn(Notices.Style.QUIET, "losses", "lease deploy: lost");

        assertThat(err.toString(UTF_8)).isEmpty();
    }
}
