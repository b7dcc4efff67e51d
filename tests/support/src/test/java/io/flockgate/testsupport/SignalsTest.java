package io.flockgate.testsupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("process")
class SignalsTest {
    @Test
    void aPausedProcessStandsStillAsSoonAsPauseReturnsAndGoesOnLater() throws Exception {
        Process busy = new ProcessBuilder("/bin/sh", "-c", "while :; do :; done").start();
        try {
            for (int i = 0; i < 50; i++) {
                assertThat(Signals.stopped(busy.pid())).isFalse();
                Signals.pause(busy.pid());
                assertThat(Signals.stopped(busy.pid())).isTrue();
                Signals.send(busy.pid(), "CONT");
            }
        } finally {
            busy.destroyForcibly().waitFor();
        }
    }

    @Test
    void aProcessThatHasEndedIsRecognised() throws IOException, InterruptedException {
        Process ended = new ProcessBuilder("/bin/true").start();
        ended.waitFor();
        assertThatThrownBy(() -> Signals.pause(ended.pid()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("STOP");
    }
}
