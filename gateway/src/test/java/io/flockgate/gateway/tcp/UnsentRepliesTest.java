package io.flockgate.gateway.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class UnsentRepliesTest {
    private static final int MIB = 1 << 20;

    @Test
    void areAnEighthOfTheHeapForAllEventLoops() {
        UnsentReplies unsent = new UnsentReplies(128L * MIB, 2);
        assertThat(unsent.take(8 * MIB)).isTrue();
        assertThat(unsent.take(1)).isFalse();
        unsent.giveBack(8 * MIB);
        assertThat(unsent.take(8 * MIB + 1)).isFalse();
        assertThat(unsent.take(8 * MIB)).isTrue();
    }

    @Test
    void haveALeastAndAGreatestBound() {
        assertThat(new UnsentReplies(MIB, 1).take(2 * MIB)).isTrue();
        assertThat(new UnsentReplies(MIB, 1).take(2 * MIB + 1)).isFalse();
        assertThat(new UnsentReplies(1L << 40, 1).take(64 * MIB)).isTrue();
        assertThat(new UnsentReplies(1L << 40, 1).take(64 * MIB + 1)).isFalse();
    }
}
