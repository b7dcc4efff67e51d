package io.flockgate.example.fencing;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class SceneTest {
    @Tag("process")
    @Test
    @Timeout(120)
    void theLateWriteOfAPausedHolderIsRefused() throws Exception {
        try (GatewayProcess gateway = GatewayLauncher.ofJar().start()) {
            List<String> steps = new ArrayList<>();
            List<String> lines = Scene.play(URI.create("flockgate://127.0.0.1:" + gateway.port()), steps::add);
            assertThat(lines).containsExactly("second");
            steps.add("the ledger has the lines of " + lines);
            assertThat(String.join("\n", steps).replaceAll("fence \\d+", "fence N"))
                    .isEqualTo(readme().replaceAll("fence \\d+", "fence N"));
        }
    }

    /** The second block of the README: what the example prints. */
    private static String readme() throws IOException {
        String text = Files.readString(Path.of("README.md"));
        String block = text.split("```", -1)[3];
        return block.strip();
    }

    @Test
    void aLedgerTakesTheNewestFenceAndEqualOnes() {
        Ledger ledger = new Ledger();
        assertThat(ledger.write(7, "a")).isTrue();
        assertThat(ledger.write(7, "b")).isTrue();
        assertThat(ledger.write(6, "c")).isFalse();
        // Fences are unsigned.
        assertThat(ledger.write(-1, "d")).isTrue();
        assertThat(ledger.write(8, "e")).isFalse();
        assertThat(ledger.lines()).containsExactly("a", "b", "d");
    }
}
