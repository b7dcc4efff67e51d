package io.flockgate.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ContentionTest {
    @Test
    void aHandOverRunsFromReleaseSentToTheNextGrantOfAWaiter() {
        Contention contention = new Contention(1);
        contention.granted(0, 10);
        contention.releaseSent(100);
        contention.granted(50, 130);

        assertThat(contention.handOffs().getTotalCount()).isEqualTo(1);
        assertThat(contention.handOffs().getMaxValue()).isEqualTo(30);
    }

    @Test
    void aGrantToALateComerIsNoHandOver() {
        Contention contention = new Contention(1);
        contention.granted(0, 10);
        contention.releaseSent(100);
        contention.granted(110, 130);

        assertThat(contention.handOffs().getTotalCount()).isZero();
    }

    @Test
    void releasesAreMatchedWithGrantsInOrderOnASemaphore() {
        Contention contention = new Contention(2);
        contention.granted(0, 1);
        contention.granted(0, 2);
        contention.releaseSent(1_000);
        contention.releaseSent(1_500);
        contention.granted(0, 1_600);
        contention.granted(0, 1_700);

        assertThat(contention.handOffs().getMaxValue()).isEqualTo(600);
        assertThat(contention.handOffs().getMinValue()).isEqualTo(200);
    }

    @Test
    void oneHolderTooManyEndsTheRun() {
        Contention contention = new Contention(2);
        contention.granted(0, 1);
        contention.granted(0, 2);

        assertThatThrownBy(() -> contention.granted(0, 3)).hasMessage("3 holders at once where 2 may hold");
    }

    @Test
    void aResetForgetsReleasesThatNoGrantFollowed() {
        Contention contention = new Contention(1);
        contention.granted(0, 10);
        contention.releaseSent(100);
        contention.reset();
        contention.granted(0, 10_000);

        assertThat(contention.handOffs().getTotalCount()).isZero();
    }
}
