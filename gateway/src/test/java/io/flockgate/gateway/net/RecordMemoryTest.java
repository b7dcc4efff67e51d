package io.flockgate.gateway.net;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RecordMemoryTest {
    private static final int MIB = 1 << 20;

    @Test
    void refusesWhatIsBeyondAnEighthOfTheHeap() {
        RecordMemory memory = new RecordMemory(128L * MIB);
        assertThat(memory.replace(0, 16 * MIB)).isTrue();
        assertThat(memory.replace(0, 1)).isFalse();
        assertThat(memory.replace(1, 0)).isTrue();
        assertThat(memory.replace(16 * MIB, 8 * MIB)).isTrue();
        assertThat(memory.replace(8 * MIB, 16 * MIB)).isTrue();
    }
}
