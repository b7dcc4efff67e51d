package io.flockgate.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class SharedKeyMeterTest {
    @Test
    void aHandOverRunsFromReleaseSentToTheNextGrantOfAWaiter() {
        SharedKeyMeter sharedKey = new SharedKeyMeter(1);
        sharedKey.granted(0, 10);
        sharedKey.releaseSent(100);
        sharedKey.granted(50, 130);

        assertThat(sharedKey.handOffs().getTotalCount()).isEqualTo(1);
        assertThat(sharedKey.handOffs().getMaxValue()).isEqualTo(30);
    }

    @Test
    void aGrantToALateComerIsNoHandOver() {
        SharedKeyMeter sharedKey = new SharedKeyMeter(1);
        sharedKey.granted(0, 10);
        sharedKey.releaseSent(100);
        sharedKey.granted(110, 130);

        assertThat(sharedKey.handOffs().getTotalCount()).isZero();
    }

    @Test
    void releasesAreMatchedWithGrantsInOrderOnASemaphore() {
        SharedKeyMeter sharedKey = new SharedKeyMeter(2);
        sharedKey.granted(0, 1);
        sharedKey.granted(0, 2);
        sharedKey.releaseSent(1_000);
        sharedKey.releaseSent(1_500);
        sharedKey.granted(0, 1_600);
        sharedKey.granted(0, 1_700);

        assertThat(sharedKey.handOffs().getMaxValue()).isEqualTo(600);
        assertThat(sharedKey.handOffs().getMinValue()).isEqualTo(200);
    }

    @Test
    void oneHolderTooManyEndsTheRun() {
        SharedKeyMeter sharedKey = new SharedKeyMeter(2);
        sharedKey.granted(0, 1);
        sharedKey.granted(0, 2);

        assertThatThrownBy(() -> sharedKey.granted(0, 3)).hasMessage("3 holders at once where 2 may hold");
    }

    @Test
    void aResetForgetsReleasesThatNoGrantFollowed() {
        SharedKeyMeter sharedKey = new SharedKeyMeter(1);
        sharedKey.granted(0, 10);
        sharedKey.releaseSent(100);
        sharedKey.reset();
        sharedKey.granted(0, 10_000);

        assertThat(sharedKey.handOffs().getTotalCount()).isZero();
    }
}
