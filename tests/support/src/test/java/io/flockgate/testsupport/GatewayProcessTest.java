package io.flockgate.testsupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("process")
class GatewayProcessTest {
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    @Test
    void aTimeOutNamesTheProgram() {
        try (GatewayProcess idle = GatewayLauncher.of(List.of("sleep", "600")).launch()) {
            assertThatThrownBy(() -> idle.exitStatus(PATIENCE))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("still running: sleep 600");
            assertThatThrownBy(() -> idle.awaitLog("ready", PATIENCE))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("sleep 600 never logged: ready");
        }
    }

    /** Sleeps for 5 s and computes in between, as a program does that others keep from running. */
    @Test
    void aProcessThatLacksProcessorTimeGetsMore() throws Exception {
        String script = """
                i=0
                while [ $i -lt 100 ]; do
                    i=$((i + 1)) j=0
                    while [ $j -lt 2000 ]; do j=$((j + 1)); done
                    sleep 0.05
                done
                exit 7
                """;
        try (GatewayProcess slow =
                GatewayLauncher.of(List.of("sh", "-c", script)).launch()) {
            assertThat(slow.exitStatus(PATIENCE)).isEqualTo(7);
        }
    }
}
