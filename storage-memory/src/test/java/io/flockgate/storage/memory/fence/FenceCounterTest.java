package io.flockgate.storage.memory.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.flockgate.storage.Backoff;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FenceCounterTest {
    private static final long RANGE = FenceCounter.RANGE;

    private final ManualScheduler scheduler = new ManualScheduler();
    private final RecordingLog log = new RecordingLog();

    private FenceCounter open(FakeDisk disk, long seed) throws IOException {
        return FenceCounter.durable(
                seed, new RangeExtender(FenceStateFile.open(disk), scheduler, new Backoff(100, 300), log));
    }

    private static long issue(FenceCounter counter, long count) {
        long last = 0;
        for (long i = 0; i < count; i++) {
            last = counter.nextFence();
        }
        return last;
    }

    @Test
    @DisplayName("InMemory_Monotonic")
    void fencesRiseByOneFromTheSeed() {
        FenceCounter counter = FenceCounter.inMemory(1_000);

        assertThat(List.of(counter.nextFence(), counter.nextFence(), counter.nextFence()))
                .containsExactly(1_001L, 1_002L, 1_003L);
        assertThat(counter.failureReason()).isEmpty();
    }

    @Test
    @DisplayName("Concurrent: no number twice, none left out")
    void threadsShareOneSequence() throws Exception {
        FenceCounter counter = FenceCounter.inMemory(0);

        long[] all = issueFromThreads(counter, 4, 50_000);

        Arrays.sort(all);
        assertThat(all).startsWith(1, 2, 3).doesNotHaveDuplicates().endsWith(200_000);
    }

    /** Checks that the fences of each thread rise, and returns those of all threads. */
    private static long[] issueFromThreads(FenceCounter counter, int threads, int each) throws Exception {
        try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            List<Future<long[]>> results = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                results.add(pool.submit(() -> issueEach(counter, each)));
            }
            long[] all = new long[threads * each];
            for (int t = 0; t < threads; t++) {
                long[] own = results.get(t).get();
                assertThat(own).isSorted();
                System.arraycopy(own, 0, all, t * each, each);
            }
            return all;
        }
    }

    private static long[] issueEach(FenceCounter counter, int count) {
        long[] own = new long[count];
        for (int i = 0; i < count; i++) {
            own[i] = Fences.await(counter);
        }
        return own;
    }

    @Test
    @DisplayName("OverflowRejected: no wrap at run time")
    void theLastNumberIsIssuedAndNothingAfterIt() {
        FenceCounter counter = FenceCounter.inMemory(-3);

        assertThat(counter.nextFence()).isEqualTo(-2);
        assertThat(counter.nextFence()).isEqualTo(-1);
        assertThat(counter.nextFence()).isZero();
        assertThat(counter.nextFence()).isZero();
        assertThat(counter.failureReason()).hasValue("all 64-bit fences have been issued");
    }

    @Test
    void numbersAboveTheSignedRangeAreOrdinary() {
        FenceCounter counter = FenceCounter.inMemory(Long.MAX_VALUE);

        assertThat(counter.nextFence()).isEqualTo(Long.MIN_VALUE);
        assertThat(counter.nextFence()).isEqualTo(Long.MIN_VALUE + 1);
    }

    @Test
    @DisplayName("OverflowRejected: no start without room for a range")
    void aCeilingTooHighForARangeIsRefusedAtStart() {
        FakeDisk disk = new FakeDisk(Records.slot(1, -RANGE));

        assertThatIOException()
                .isThrownBy(() -> open(disk, 5).close())
                .withMessageContaining("no room for another range");
        assertThat(disk.closes()).isEqualTo(1);
        assertThat(disk.writes()).isZero();
    }

    @Test
    void theLastWholeRangeCanBeUsedUpAndThenNothing() throws IOException {
        FakeDisk disk = new FakeDisk(Records.slot(1, -RANGE - 1));
        FenceCounter counter = open(disk, 5);

        assertThat(issue(counter, RANGE)).isEqualTo(-1);
        assertThat(scheduler.runNext()).isZero();

        assertThat(counter.nextFence()).isZero();
        assertThat(scheduler.waiting()).as("attempts after the hopeless one").isZero();
        assertThat(counter.failureReason().orElseThrow()).contains("no room for another range");
        assertThat(log.lines()).hasSize(1);
    }

    @Test
    @DisplayName("FallbackSeedFloors: the greater of file and clock")
    void theSeedIsAFloor() throws IOException {
        assertThat(open(FakeDisk.empty(), 50).nextFence()).isEqualTo(51);
        assertThat(open(new FakeDisk(Records.slot(1, 100)), 50).nextFence()).isEqualTo(101);
        assertThat(open(new FakeDisk(Records.slot(1, 100)), 150).nextFence()).isEqualTo(151);
        assertThat(open(new FakeDisk(Records.slot(1, -RANGE * 2)), 150).nextFence())
                .isEqualTo(-RANGE * 2 + 1);
    }

    @Test
    @DisplayName("LegacyUint64Migrates: legacy 50 → first fence 51, file of 32 bytes")
    void aLegacyCeilingIsGoneOnFrom() throws IOException {
        FakeDisk disk = new FakeDisk(Records.legacy(50));

        assertThat(open(disk, 1).nextFence()).isEqualTo(51);
        assertThat(disk.durable()).isEqualTo(Records.slot(1, 50 + RANGE)).hasSize(32);
    }

    @Test
    @DisplayName("★28 TornLatestRecordFallsBack: older ceiling 100 → first fence 101")
    void aTornNewestRecordFallsBackToTheOlder() throws IOException {
        byte[] torn = Records.flipBit(Records.slot(2, 5_000), 150);
        FakeDisk disk = new FakeDisk(Records.join(Records.slot(1, 100), torn));

        assertThat(open(disk, 1).nextFence()).isEqualTo(101);
        assertThat(disk.durable()).isEqualTo(Records.join(Records.slot(1, 100), Records.slot(2, 100 + RANGE)));
    }

    @Test
    @DisplayName("★28 PartialLatestRecordFallsBack: older ceiling 100 → first fence 101")
    void aPartNewestRecordFallsBackToTheOlder() throws IOException {
        byte[] part = Arrays.copyOf(Records.slot(2, 5_000), 13);
        FakeDisk disk = new FakeDisk(Records.join(Records.slot(1, 100), part));

        assertThat(open(disk, 1).nextFence()).isEqualTo(101);
        assertThat(disk.durable()).isEqualTo(Records.join(Records.slot(1, 100), Records.slot(2, 100 + RANGE)));
    }

    @Test
    @DisplayName("★27 PersistsAhead: the file's ceiling is at or above every fence issued")
    void theFileIsAlwaysAhead() throws IOException {
        FakeDisk disk = FakeDisk.empty();
        FenceCounter counter = open(disk, 1_000);
        assertThat(disk.durableCeiling()).isEqualTo(1_000 + RANGE);
        assertThat(disk.directorySynced()).isTrue();

        for (long i = 0; i < 3 * RANGE; i++) {
            long fence = counter.nextFence();
            if (i % 1_009 == 0) {
                assertThat(fence).isBetween(1L, disk.durableCeiling());
            }
            if (scheduler.waiting() > 0) {
                assertThat(scheduler.runNext()).isZero();
            }
        }
    }

    @Test
    @DisplayName("★27 ExtendsAcrossRange: the extension comes before the issue, without a gap")
    void theExtensionComesAheadOfNeed() throws IOException {
        FakeDisk disk = FakeDisk.empty();
        FenceCounter counter = open(disk, 0);

        assertThat(issue(counter, RANGE / 2 - 1)).isEqualTo(RANGE / 2 - 1);
        assertThat(scheduler.waiting()).as("asked while more than half is left").isZero();
        assertThat(issue(counter, 10)).isPositive();
        assertThat(scheduler.waiting()).as("asked once at half").isEqualTo(1);
        assertThat(disk.durableCeiling()).isEqualTo(RANGE);

        assertThat(scheduler.runNext()).isZero();
        assertThat(disk.durableCeiling()).isEqualTo(2 * RANGE);

        assertThat(issue(counter, RANGE)).isEqualTo(RANGE / 2 + 9 + RANGE);
    }

    @Test
    void atTheCeilingNothingIsIssuedUntilTheExtensionIsDurable() throws IOException {
        FakeDisk disk = FakeDisk.empty();
        FenceCounter counter = open(disk, 0);

        assertThat(issue(counter, RANGE)).isEqualTo(RANGE);
        assertThat(counter.nextFence()).isZero();
        assertThat(counter.failureReason()).hasValue("the next range of fences is being made durable");

        assertThat(scheduler.runNext()).isZero();
        assertThat(counter.failureReason()).isEmpty();
        assertThat(counter.nextFence()).isEqualTo(RANGE + 1);
    }

    @Test
    void aFullDiskFailsClosedAndHeals() throws IOException {
        FakeDisk disk = FakeDisk.empty();
        FenceCounter counter = open(disk, 0);
        disk.failWrites(length -> 11);

        assertThat(issue(counter, RANGE / 2 + 1)).isEqualTo(RANGE / 2 + 1);
        assertThat(scheduler.runNext()).isZero();
        assertThat(counter.failureReason()).as("while numbers are left").isEmpty();
        assertThat(issue(counter, RANGE / 2 - 1)).isEqualTo(RANGE);
        assertThat(scheduler.runNext()).isEqualTo(100);
        assertThat(counter.nextFence()).isZero();
        assertThat(counter.failureReason().orElseThrow()).contains("No space left on device");
        assertThat(scheduler.runNext()).isEqualTo(200);
        assertThat(scheduler.runNext()).isEqualTo(300);
        assertThat(counter.nextFence()).isZero();

        disk.heal();
        assertThat(scheduler.runNext()).isEqualTo(300);

        assertThat(counter.failureReason()).isEmpty();
        assertThat(counter.nextFence()).isEqualTo(RANGE + 1);
        assertThat(scheduler.waiting()).isZero();
        assertThat(disk.durableCeiling()).isEqualTo(2 * RANGE);
        assertThat(log.lines())
                .containsExactly("failed: No space left on device, left " + (RANGE / 2 - 1), "healed after 4");
    }

    @Test
    void eachStreakOfFailuresIsLoggedOnceAndBeginsWithTheShortPause() throws IOException {
        FakeDisk disk = FakeDisk.empty();
        FenceCounter counter = open(disk, 0);
        for (int streak = 0; streak < 2; streak++) {
            assertThat(issue(counter, RANGE)).isPositive();
            disk.failSyncs();
            assertThat(scheduler.runNext()).isZero();
            assertThat(scheduler.runNext()).isEqualTo(100);
            disk.heal();
            assertThat(scheduler.runNext()).isEqualTo(200);
        }

        assertThat(log.lines()).hasSize(4).element(3).isEqualTo("healed after 2");
    }

    @Test
    @DisplayName("RecoveryNeverDuplicates: start, issue, lose power, again")
    void noNumberIsEverRepeatedOverRestarts() throws IOException {
        FakeDisk disk = FakeDisk.empty();
        long last = 0;
        for (int start = 0; start < 20; start++) {
            FenceCounter counter = open(disk, 7);
            for (int i = 0; i < start * 3; i++) {
                long fence = counter.nextFence();
                assertThat(fence).isGreaterThan(last);
                last = fence;
            }
            disk = new FakeDisk(disk.durable());
        }
    }

    @Test
    void aStartThatCannotWriteFailsAndLetsGoOfTheFile() throws IOException {
        FakeDisk disk = FakeDisk.empty();
        disk.failWrites(length -> 0);

        assertThatIOException().isThrownBy(() -> open(disk, 5).close()).withMessage("No space left on device");
        assertThat(disk.closes()).isEqualTo(1);
        assertThat(scheduler.closes()).isEqualTo(1);
    }

    @Test
    @DisplayName("Close_Idempotent, and no fence after it")
    void aClosedCounterIssuesNothing() throws IOException {
        FakeDisk disk = FakeDisk.empty();
        FenceCounter counter = open(disk, 5);
        counter.close();
        counter.close();

        assertThat(counter.nextFence()).isZero();
        assertThat(counter.failureReason()).hasValue("the fence counter is closed");
        assertThat(disk.closes()).isEqualTo(1);

        FenceCounter memory = FenceCounter.inMemory(5);
        memory.close();
        assertThat(memory.nextFence()).isZero();
    }

    @Test
    void anExtensionThatEndsAfterCloseIssuesNothing() throws IOException {
        FenceCounter counter = open(FakeDisk.empty(), 5);
        counter.close();

        counter.raiseTo(10 * RANGE);

        assertThat(counter.nextFence()).isZero();
    }

    @Test
    void anAttemptAfterCloseIsNotReportedAsAFailure() throws IOException {
        FakeDisk disk = FakeDisk.empty();
        RangeExtender extender = new RangeExtender(FenceStateFile.open(disk), scheduler, RangeExtender.PAUSES, log);
        FenceCounter counter = FenceCounter.durable(0, extender);
        counter.close();
        extender.request(counter);

        assertThat(scheduler.runNext()).isZero();

        assertThat(log.lines()).isEmpty();
        assertThat(disk.writes()).isEqualTo(1);
    }

    @Test
    @DisplayName("Concurrent with extensions in the background: unique, rising, never above the file")
    void threadsAndTheBackgroundExtensionTogetherNeverPassTheFile() throws Exception {
        FakeDisk disk = FakeDisk.empty();
        RangeExtender extender = new RangeExtender(
                FenceStateFile.open(disk),
                Scheduler.of(Thread.ofPlatform().daemon().factory()),
                RangeExtender.PAUSES,
                log);
        try (FenceCounter counter = FenceCounter.durable(0, extender)) {
            long[] all = issueFromThreads(counter, 3, 1_200_000);

            Arrays.sort(all);
            assertThat(all[0]).isEqualTo(1);
            assertThat(all[all.length - 1]).isEqualTo(all.length).isLessThanOrEqualTo(disk.durableCeiling());
        }
        assertThat(log.lines()).isEmpty();
    }
}
