package io.flockgate.gateway.net;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class KeptBytesTest {
    private static final int MIB = 1 << 20;

    @Test
    void refusesWhatIsBeyondTheMaximum() {
        KeptBytes bytes = new KeptBytes(16 * MIB);
        assertThat(bytes.replace(0, 8 * MIB)).isTrue();
        assertThat(bytes.replace(0, 8 * MIB)).isTrue();
        assertThat(bytes.replace(0, 1)).isFalse();
        assertThat(bytes.replace(1, 0)).isTrue();
    }

    @Test
    void aConnectionThatKeepsLessMakesRoom() {
        KeptBytes bytes = new KeptBytes(16 * MIB);
        assertThat(bytes.replace(0, 16 * MIB)).isTrue();
        assertThat(bytes.replace(16 * MIB, 8 * MIB)).isTrue();
        assertThat(bytes.replace(8 * MIB, 16 * MIB)).isTrue();
    }

    @Test
    void theMaximumMayBeAnEighthOfTheHeap() {
        KeptBytes bytes = KeptBytes.ofHeap(128L * MIB);
        assertThat(bytes.replace(0, 16 * MIB)).isTrue();
        assertThat(bytes.replace(0, 1)).isFalse();
    }
}
