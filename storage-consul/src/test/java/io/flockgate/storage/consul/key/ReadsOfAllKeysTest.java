package io.flockgate.storage.consul.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Key;
import io.flockgate.storage.consul.api.FakeClock;
import io.flockgate.storage.consul.environment.SystemEnvironment;
import io.flockgate.storage.consul.format.KeyPath;
import io.flockgate.storage.consul.format.KeyPaths;
import io.flockgate.storage.consul.key.LocalGateway.ReadBudget;
import io.flockgate.storage.consul.key.LocalGateway.ReadPace;
import io.flockgate.storage.consul.kv.KvEntry;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How often all keys are read, and how much a read may contain. */
class ReadsOfAllKeysTest {
    private static final int MAX = 10_000;

    private final ReadPace pace = new ReadPace();
    private final FakeClock clock = new FakeClock();
    private final ReadBudget budget = new ReadBudget(new SystemEnvironment(clock::nanos), MAX);
    private final KeyPaths paths = new KeyPaths("base/", Map.of(Key.of("shared"), "service/shared"));
    private final KeyPath key = paths.of(Key.of("k"));

    private static List<KvEntry> entryOf(int valueBytes) {
        return List.of(new KvEntry("base/k/.lock", 0, new byte[valueBytes], null, 1, 1));
    }

    private int reserveAll() {
        int count = 0;
        while (count < MAX && budget.reserve(key)) {
            count++;
        }
        return count;
    }

    @Test
    void whatThisGatewayWritesIsBoundedBeforeAnyReadShowsIt() {
        int fits = reserveAll();
        assertThat(fits).isBetween(2, MAX / 1_000);

        budget.asking();
        assertThat(budget.reserve(key)).isFalse();
        budget.read(List.of());

        assertThat(reserveAll()).isEqualTo(fits);
    }

    @Test
    void whatWasWrittenAfterAReadWasSentCountsBesideIt() {
        budget.asking();
        int fits = reserveAll();
        budget.read(entryOf(0));
        assertThat(budget.reserve(key)).isFalse();

        budget.asking();
        budget.read(entryOf(0));
        assertThat(reserveAll()).isBetween(fits - 1, fits);
    }

    @Test
    void entriesOfOtherGatewaysLeaveLessRoom() {
        budget.asking();
        budget.read(entryOf(MAX * 3 / 4));
        assertThat(budget.reserve(key)).isFalse();

        budget.asking();
        budget.read(entryOf(0));
        assertThat(budget.reserve(key)).isTrue();
    }

    @Test
    void aMappedKeyIsNotInTheRead() {
        assertThat(reserveAll()).isPositive();
        assertThat(budget.reserve(paths.of(Key.of("shared")))).isTrue();
    }

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
