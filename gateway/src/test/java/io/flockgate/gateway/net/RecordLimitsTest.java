package io.flockgate.gateway.net;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;

class RecordLimitsTest {
    private static final int RECORD = 100;

    private final RecordLimits limits = new RecordLimits();

    private void count(int times, int bytes, int data) {
        for (int i = 0; i < times; i++) {
            assertThatCode(() -> limits.count(bytes, data)).doesNotThrowAnyException();
        }
    }

    private void expectEnd(int bytes, int data) {
        assertThatThrownBy(() -> limits.count(bytes, data)).isInstanceOf(SSLException.class);
    }

    @Test
    void aHandshakeHasALimitedNumberOfRecords() {
        count(RecordLimits.MAX_HANDSHAKE_RECORDS, 1, 0);
        expectEnd(1, 0);
    }

    @Test
    void aHandshakeHasALimitedNumberOfBytes() {
        count(1, RecordLimits.MAX_HANDSHAKE_BYTES - 1, 0);
        count(1, 1, 0);
        expectEnd(1, 0);
    }

    @Test
    void dataHasNoLimit() {
        limits.completeHandshake();
        count(100_000, 16_000, 15_000);
    }

    @Test
    void recordsWithoutDataAreLimitedAfterTheHandshake() {
        limits.completeHandshake();
        count(RecordLimits.MAX_WITHOUT_DATA, RECORD, 0);
        expectEnd(RECORD, 0);
    }

    @Test
    void recordsWithDataMakeUpForOthers() {
        limits.completeHandshake();
        count(RecordLimits.MAX_WITHOUT_DATA, RECORD, 0);
        count(RecordLimits.WITH_DATA, RECORD, 1);
        count(1, RECORD, 0);
        expectEnd(RECORD, 0);
    }
}
