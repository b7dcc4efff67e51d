package io.flockgate.storage.memory.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.flockgate.storage.memory.file.FakeDirectory;
import io.flockgate.storage.memory.journal.FakeDisk.Fate;
import io.flockgate.testsupport.Polling;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The fences of a state with a fence state file, a directory, or both. */
@Timeout(120)
class DurableStateTest {
    private static final long RANGE = FenceCounter.RANGE;

    private static DurableState on(FakeDisk disk, long clock) throws IOException {
        return DurableState.open(FenceStateFile.open(disk), null, clock);
    }

    private static DurableState on(FakeDisk disk, FakeDirectory directory) throws IOException {
        return DurableState.open(FenceStateFile.open(disk), directory, 0);
    }

    /** Issues fences without a gap until {@code last}, waiting for the disk if it must. */
    private static void issueTo(DurableState state, long last) {
        long fence = state.fences().nextFence();
        while (fence != last) {
            long next = state.fences().nextFence();
            if (next == 0) {
                Thread.onSpinWait();
            } else if (next == fence + 1 || fence == 0) {
                fence = next;
            } else {
                throw new AssertionError(next + " after " + fence);
            }
        }
    }

    @Test
    @DisplayName("LegacyUint64Migrates: legacy 50 → first fence 51, file of 32 bytes")
    void aLegacyCeilingIsGoneOnFrom() throws IOException {
        FakeDisk disk = new FakeDisk(Records.legacy(50));
        try (DurableState state = on(disk, 1)) {
            assertThat(state.fences().nextFence()).isEqualTo(51);
            assertThat(disk.durable()).isEqualTo(Records.slot(1, 50 + RANGE)).hasSize(32);
        }
    }

    @Test
    void aFullDiskFailsClosedAndHealsByItself() throws IOException {
        FakeDisk disk = FakeDisk.empty();
        try (DurableState state = on(disk, 0)) {
            issueTo(state, 1);
            disk.fate(Fate.TORN, 11);
            issueTo(state, RANGE);
            Polling.until(
                    "the failure is reported",
                    () -> state.failureReason()
                            .filter(reason -> reason.contains("No space left on device"))
                            .isPresent());
            assertThat(state.fences().nextFence()).isZero();

            disk.fate(Fate.WRITTEN, 0);
            Polling.until("fences can be issued", () -> state.failureReason().isEmpty());
            assertThat(state.fences().nextFence()).isEqualTo(RANGE + 1);
            assertThat(disk.durableCeiling()).isEqualTo(2 * RANGE);
        }
    }

    @Test
    @DisplayName("RecoveryNeverDuplicates: start, issue, lose power, again")
    void noNumberIsEverRepeatedOverRestarts() throws IOException {
        FakeDisk disk = FakeDisk.empty();
        long last = 0;
        for (int start = 0; start < 20; start++) {
            DurableState state = on(disk, 7);
            for (int i = 0; i < start * 3; i++) {
                long fence = state.fences().nextFence();
                assertThat(fence).isGreaterThan(last);
                last = fence;
            }
            disk = new FakeDisk(disk.durable());
            state.close();
        }
    }

    @Test
    void aStartThatCannotWriteTheStateFileFailsAndFreesIt() throws IOException {
        FakeDisk disk = FakeDisk.empty();
        disk.fate(Fate.TORN, 0);
        assertThatIOException()
                .isThrownBy(() -> on(disk, 5).close())
                .withMessage("cannot write fake: No space left on device");
        assertThat(disk.closes()).isPositive();
    }

    @Test
    @DisplayName("OverflowRejected: no start without room for a range")
    void aStartWithoutRoomForARangeFreesTheFile() {
        FakeDisk disk = new FakeDisk(Records.slot(1, -RANGE));
        assertThatIOException()
                .isThrownBy(() -> on(disk, 5).close())
                .withMessageContaining("no room for another range");
        assertThat(disk.closes()).isPositive();
        assertThat(disk.writes()).isZero();
    }

    @Test
    void aStateFileBesideTheDirectoryIsKeptUpToDate() throws IOException {
        FakeDisk disk = new FakeDisk(Records.slot(1, 500));
        FakeDirectory directory = new FakeDirectory();
        try (DurableState state = on(disk, directory)) {
            issueTo(state, 500 + 2 * RANGE);
        }

        FakeDirectory lost = new FakeDirectory();
        try (DurableState state = on(new FakeDisk(disk.durable()), lost)) {
            assertThat(state.fences().nextFence()).isGreaterThan(500 + 2 * RANGE);
        }
        try (DurableState state = on(FakeDisk.empty(), directory.powerLost())) {
            assertThat(state.fences().nextFence()).isGreaterThan(500 + 2 * RANGE);
        }
    }

    @Test
    @DisplayName("★26 FenceFile_StrictRestartMonotonic, ExclusiveLock, on a real file")
    void aFileServesOneStateAtATimeAndFencesRise(@TempDir Path root) throws IOException {
        Optional<Path> file = Optional.of(root.resolve("fence"));
        DurableState first = DurableState.open(Optional.empty(), file, 2_000_000_000L);
        long before = first.fences().nextFence();
        assertThat(before).isEqualTo(2_000_000_001L);
        assertThatIOException()
                .isThrownBy(() -> DurableState.open(Optional.empty(), file, 5).close())
                .withMessageContaining("in use");
        first.close();
        assertThat(first.fences().nextFence()).isZero();
        assertThat(first.failureReason()).isPresent();

        try (DurableState second = DurableState.open(Optional.empty(), file, 1_000)) {
            assertThat(second.fences().nextFence()).isGreaterThan(before);
        }
    }

    @Test
    void aJournalThatCannotBeReadIsNamed(@TempDir Path root) throws IOException {
        Files.createDirectory(root.resolve("grants.journal"));
        for (int i = 0; i < 2; i++) {
            assertThatIOException()
                    .isThrownBy(() -> DurableState.open(Optional.of(root), Optional.of(root.resolve("fence")), 0))
                    .withMessageContaining("the file grants.journal in " + root + " cannot be used: Is a directory");
        }
    }
}
