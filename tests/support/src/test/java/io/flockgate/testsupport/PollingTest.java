package io.flockgate.testsupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class PollingTest {
    private static final int CORES = Runtime.getRuntime().availableProcessors();

    @Test
    void aSecondCountsAsWhatAThreadGetsOfIt() {
        assertThat(Polling.share("0.10 0.10 0.10 1/200 4711")).isEqualTo(1);
        assertThat(Polling.share("0.10 0.10 0.10 " + 4 * CORES + "/200 4711")).isEqualTo(0.25);
        assertThat(Polling.share(4 * CORES + ".00 0.10 0.10 1/200 4711")).isEqualTo(0.25);
        assertThat(Polling.share("9000.00 0.10 0.10 1/200 4711")).isEqualTo(0.1);
        assertThat(Polling.share("")).isEqualTo(1);
    }

    @Test
    void aTimeOutNamesWhatWasAwaited() {
        assertThatThrownBy(() -> Polling.until(Duration.ofMillis(1), () -> "asleep", "awake"::equals))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("the last answer: asleep");
    }

    @Test
    void aTimeOutOfALineNamesTheServerAndTheRequest() throws IOException {
        try (ScriptedServer mute = ScriptedServer.ofConnections(client ->
                        assertThat(client.getInputStream().readAllBytes()).isNotEmpty());
                LineClient client = LineClient.connect(mute.port()).patience(Duration.ofMillis(50))) {
            assertThatThrownBy(() -> client.ask("l", "job", "5"))
                    .isInstanceOf(SocketTimeoutException.class)
                    .hasMessageContaining("127.0.0.1:" + mute.port())
                    .hasMessageContaining("'l job 5'");
        }
    }
}
