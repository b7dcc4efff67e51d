package io.flockgate.storage.consul.rules;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.storage.consul.format.ClusterRecord;
import io.flockgate.storage.consul.format.ClusterRecord.SharedSettings;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.rules.ClusterMemory.LostDataException;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ClusterMemoryTest {
    private static final long BASE = 1_000;
    private static final SharedSettings SETTINGS = new SharedSettings(BASE, "list", "map");
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(10);

    private final FenceGuard fences = new FenceGuard(BASE);
    private final ClusterMemory memory = new ClusterMemory(fences);

    /** The index that the next write of the record gets. */
    private long next = 100;

    private @Nullable ClusterRecord written;

    private static ClusterRecord record(String cluster, String made, long floor) {
        return ClusterRecord.of(cluster, made, SETTINGS, floor);
    }

    private boolean agrees(ClusterRecord record, long index, boolean own) {
        KvEntry entry = new KvEntry("base/.flockgate", 0, record.toBytes(), null, 0, index, index);
        return memory.agrees(entry, record, own, (before, wanted) -> {
            written = wanted;
            return next;
        });
    }

    @Test
    void anIdentityFromAFileLeavesTheRecordOfOthersAlone() {
        memory.inherit("a", 1_050);
        assertThatThrownBy(() -> agrees(record("b", "2", 0), 12, false)).isInstanceOf(LostDataException.class);
        assertThat(written).isNull();
    }

    @Test
    void anOldRecordIsWrittenAgainForItsIndex() {
        fences.seen(50);
        assertThat(agrees(record("a", "1", 0), 10, true)).isTrue();
        assertThat(written).isNotNull().extracting(ClusterRecord::checks).isEqualTo(1L);
    }

    @Test
    void aFloorThatTheRecordDoesNotReachIsALossForThoseWhoHaveSeenNothing() {
        assertThatThrownBy(() -> agrees(record("a", "1", 1_010), 10, false)).isInstanceOf(LostDataException.class);
        assertThat(written).isNull();
    }

    @Test
    void fencesOfThisMemberDoNotCountUnlessTheRecordMayBeOfAnotherConsul() {
        fences.seen(50);
        assertThat(agrees(record("a", "1", 0), 10, false)).isTrue();
        assertThat(written).isNull();
    }

    @Test
    void theWhileBeginsAnewWithEachRecord() {
        assertThat(memory.untilGrants(record("a", "1", 0), 0, PATIENCE)).isZero();
        assertThat(memory.untilGrants(record("a", "2", 0), 0, PATIENCE)).isEqualTo(PATIENCE);
        assertThat(memory.untilGrants(record("a", "3", 0), PATIENCE, PATIENCE)).isEqualTo(PATIENCE);
    }

    @Test
    void nothingIsGrantedForAWhileIfTheRecordOfAnEarlierProcessIsMissing() {
        memory.inherit("a", 1_050);
        ClusterRecord again = memory.newRecord(SETTINGS, new Random(1));
        assertThat(memory.untilGrants(again, 0, PATIENCE)).isEqualTo(PATIENCE);
        assertThat(memory.untilGrants(again, PATIENCE, PATIENCE)).isZero();
    }

    /** A newer member may have written them. */
    @Test
    void unknownFieldsOfTheRecordAreKept() {
        String newer = new String(record("a", "1", 0).toBytes(), UTF_8).replaceFirst("\\}$", ",\"later\":{\"a\":1}}");
        ClusterRecord read = Objects.requireNonNull(ClusterRecord.parse(newer.getBytes(UTF_8)));
        assertThat(new String(read.checked(5).toBytes(), UTF_8)).contains("\"later\":{\"a\":1}");
    }
}
