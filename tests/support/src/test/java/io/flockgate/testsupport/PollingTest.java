package io.flockgate.testsupport;

import static org.assertj.core.api.Assertions.assertThat;

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
}
