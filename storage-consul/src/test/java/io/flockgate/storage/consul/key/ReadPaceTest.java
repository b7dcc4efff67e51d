package io.flockgate.storage.consul.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.consul.key.LocalGateway.ReadPace;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReadPaceTest {
    private final ReadPace pace = new ReadPace();

    @ParameterizedTest
    @CsvSource({
        "0, 1000, 100, 2000",
        "2500, 1000, 500, 2000",
        "5000, 1000, 1000, 2000",
        "20000, 4000, 4000, 6500",
        "115000, 6000, 6000, 9500"
    })
    void moreEntriesAreReadMoreRarely(int entries, long pauseMillis, long shortMillis, long actMillis) {
        pace.read(entries, false, Long.MAX_VALUE);
        assertThat(pace.pauseMillis()).isEqualTo(pauseMillis);
        assertThat(pace.actMillis()).isEqualTo(actMillis);
        pace.read(entries, true, Long.MAX_VALUE);
        assertThat(pace.pauseMillis()).isEqualTo(shortMillis);
        assertThat(pace.actMillis()).isEqualTo(actMillis);
    }

    @Test
    void whatATicketStatesHoldsWhileTheEntriesBecomeMore() {
        pace.read(5_000, true, Long.MAX_VALUE);
        long stated = pace.actMillis();
        pace.read(20_000, true, stated);
        assertThat(pace.pauseMillis()).isEqualTo(1_000);
        pace.read(20_000, true, Long.MAX_VALUE);
        assertThat(pace.pauseMillis()).isEqualTo(4_000);
    }

    @Test
    void aTicketOfALargerClusterDelaysNoRead() {
        pace.read(20_000, true, Long.MAX_VALUE);
        long stated = pace.actMillis();
        pace.read(100, true, stated);
        assertThat(pace.pauseMillis()).isEqualTo(100);
    }
}
