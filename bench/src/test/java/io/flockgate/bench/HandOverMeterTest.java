package io.flockgate.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class HandOverMeterTest {
    private static HandOverMeter measuring(int limit) {
        HandOverMeter meter = new HandOverMeter(limit);
        meter.begin();
        return meter;
    }

    @Test
    void aGrantToALateComerIsNoHandOver() {
        HandOverMeter meter = measuring(1);
        meter.granted(0, 10);
        meter.releasing(100);
        meter.granted(110, 130);

        assertThat(meter.handOvers().getTotalCount()).isZero();
    }

    @Test
    void releasesAreMatchedWithGrantsInOrderOnASemaphore() {
        HandOverMeter meter = measuring(2);
        meter.granted(0, 1);
        meter.granted(0, 2);
        meter.releasing(1_000);
        meter.releasing(1_500);
        meter.granted(0, 1_600);
        meter.granted(0, 1_700);

        assertThat(meter.handOvers().getMaxValue()).isEqualTo(600);
        assertThat(meter.handOvers().getMinValue()).isEqualTo(200);
    }

    @Test
    void oneHolderTooManyEndsTheRun() {
        HandOverMeter meter = measuring(1);
        meter.granted(0, 1);
        assertThatThrownBy(() -> meter.granted(0, 2)).hasMessage("2 holders at once where 1 may hold");
    }

    @Test
    void nothingIsRecordedBeforeTheBeginningOrAfterTheEnd() {
        HandOverMeter meter = new HandOverMeter(1);
        meter.granted(0, 10);
        meter.releasing(100);
        meter.granted(50, 130);
        meter.begin();
        meter.releasing(200);
        meter.granted(150, 240);
        meter.end();
        meter.releasing(300);
        meter.granted(250, 500);

        assertThat(meter.handOvers().getTotalCount()).isEqualTo(1);
        assertThat(meter.handOvers().getMaxValue()).isEqualTo(40);
        assertThat(meter.grants()).isEqualTo(1);
    }
}
