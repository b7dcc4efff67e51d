package io.flockgate.client.tck.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Runs the model over many seeds. A failure names its seed; {@code LeaseModel.run} with that seed
 * repeats it.
 */
final class LeaseModelTest {
    private static final int STEPS = 2_000;

    private static void run(long firstSeed, int runs) {
        for (long seed = firstSeed; seed < firstSeed + runs; seed++) {
            assertThat(LeaseModel.run(seed, STEPS)).isEmpty();
        }
    }

    @Test
    void aMillionStepsViolateNothing() {
        run(1, 500);
    }

    @Test
    @Tag("slow")
    void aHundredMillionStepsViolateNothing() {
        run(1_000_000, 50_000);
    }
}
