package io.flockgate.testsupport;

import static org.assertj.core.api.Assertions.assertThat;

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
                Signals.send("CONT", busy.pid());
            }
        } finally {
            busy.destroyForcibly().waitFor();
        }
    }
}
