package io.flockgate.gateway.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LongLinesTest {
    private static final int HALF = LongLines.MAX_BYTES_IN_ALL / 2;

    private final LongLines lines = new LongLines();

    @Test
    void allTogetherMayKeepSoMuch() {
        assertThat(lines.replace(0, HALF)).isTrue();
        assertThat(lines.replace(0, HALF)).isTrue();
        assertThat(lines.replace(0, 1)).isFalse();
        assertThat(lines.replace(1, 0)).isTrue();
    }

    @Test
    void aLineThatEndsMakesRoom() {
        assertThat(lines.replace(0, HALF)).isTrue();
        assertThat(lines.replace(0, HALF)).isTrue();
        assertThat(lines.replace(HALF, 0)).isTrue();
        assertThat(lines.replace(0, HALF)).isTrue();
    }
}
