package io.flockgate.gateway.net;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WaitingHeadsTest {
    private static final int ROOM = 4_096;

    private final Room room = new Room();
    private final WaitingHeads heads = new WaitingHeads(room);

    private static final class Room implements HttpInput.Budget {
        private int used;

        @Override
        public boolean draw(int bytes) {
            if (used + bytes > ROOM) {
                return false;
            }
            used += bytes;
            return true;
        }

        @Override
        public void giveBack(int bytes) {
            used -= bytes;
        }
    }

    @Test
    void shortHeadsTakeNothing() {
        assertThat(heads.add(WaitingHeads.FREE_BYTES)).isTrue();
        heads.complete();
        assertThat(heads.isFull()).isFalse();
        assertThat(room.used).isZero();
    }

    @Test
    void aLongHeadTakesRoomUntilItIsAnsweredAndHoldsUpTheNext() {
        assertThat(heads.add(WaitingHeads.FREE_BYTES + 2_000)).isTrue();
        assertThat(heads.isFull()).isFalse();
        heads.complete();
        assertThat(heads.isFull()).isTrue();
        assertThat(room.used).isEqualTo(2_000);
        heads.answered();
        assertThat(heads.isFull()).isFalse();
        assertThat(room.used).isZero();
    }

    @Test
    void whatIsUnfinishedStaysCounted() {
        assertThat(heads.add(100)).isTrue();
        heads.complete();
        assertThat(heads.add(WaitingHeads.FREE_BYTES + 1_500)).isTrue();
        heads.answered();
        assertThat(room.used).isEqualTo(1_500);
        heads.clear();
        assertThat(room.used).isZero();
    }

    @Test
    void withoutRoomAHeadIsRefused() {
        assertThat(heads.add(WaitingHeads.FREE_BYTES + ROOM)).isTrue();
        assertThat(heads.add(1)).isFalse();
        heads.clear();
        assertThat(room.used).isZero();
    }
}
