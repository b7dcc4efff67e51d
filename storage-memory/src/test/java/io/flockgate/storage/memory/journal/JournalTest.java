package io.flockgate.storage.memory.journal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.flockgate.storage.Key;
import io.flockgate.storage.Token;
import io.flockgate.storage.memory.file.FakeDirectory;
import io.flockgate.storage.memory.file.FakeDirectory.Part;
import io.flockgate.storage.tck.Await;
import io.flockgate.testsupport.Polling;
import io.vertx.core.Future;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class JournalTest {
    private static final String FILE = "grants.journal";
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final Journal.TimeLimits PATIENCE =
            new Journal.TimeLimits(5 * MILLI, 100 * MILLI, 200 * MILLI, 100 * MILLI);
    private static final Journal.TimeLimits NO_RETRY =
            new Journal.TimeLimits(5 * MILLI, 100 * MILLI, 200 * MILLI, TimeUnit.HOURS.toNanos(1));

    private final FakeDirectory disk = new FakeDirectory();

    private static final Map<String, Long> FENCES = new HashMap<>();

    /** The grant whose memo is this word, or its end if the word begins with a minus. */
    private static JournalRecord record(String word) {
        if (word.startsWith("-")) {
            return new JournalRecord.End(fence(word.substring(1)));
        }
        return new GrantRecord(new Token(fence(word), 0), 1, 0, Key.of("k"), 0, word.getBytes(UTF_8));
    }

    private static synchronized long fence(String word) {
        return FENCES.computeIfAbsent(word, unknown -> FENCES.size() + 1L);
    }

    private static GrantImage image() {
        return new GrantImage(0, ceiling -> {});
    }

    private static Journal open(FakeDirectory on) throws IOException {
        return open(on, 1 << 20);
    }

    private static Journal open(FakeDirectory on, long minGrowth) throws IOException {
        return open(on, minGrowth, PATIENCE);
    }

    private static Journal open(FakeDirectory on, long minGrowth, Journal.TimeLimits patience) throws IOException {
        GrantImage image = image();
        return Journal.open(List.of(JournalFile.open(on, image::apply, minGrowth)), image, patience);
    }

    private static Future<Void> write(Journal journal, String word) {
        return journal.append(record(word));
    }

    private static void note(Journal journal, String... words) {
        journal.append(
                Stream.of(words).map(word -> journal.entry(record(word), null)).toList());
    }

    private static Set<String> wordsOn(FakeDirectory left) throws IOException {
        GrantImage image = image();
        JournalFile.open(left, image::apply, 1).close();
        return image.grants().stream()
                .map(grant -> new String(grant.memo(), UTF_8))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String failure(Future<?> call) {
        Await.completed(call);
        assertThat(call.failed()).isTrue();
        return String.valueOf(call.cause().getMessage());
    }

    @Test
    void aRecordThatNothingWaitsForIsWrittenSoon() throws Exception {
        Journal journal = open(disk);
        note(journal, "a");
        assertThat(Polling.until(() -> wordsOn(disk.powerLost()), words -> !words.isEmpty()))
                .containsExactly("a");
        journal.close();
    }

    @Test
    void recordsThatComeDuringAFlushShareTheNext() throws Exception {
        Journal journal = open(disk);
        int before = disk.syncs();
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch busy = disk.hang(goOn);
        List<Future<Void>> writes = new ArrayList<>(List.of(write(journal, "first")));
        Await.await(busy, "a sync");
        for (int i = 0; i < 500; i++) {
            writes.add(write(journal, "word-" + i));
        }
        assertThat(writes).noneMatch(Future::isComplete);
        goOn.countDown();
        writes.forEach(Await::done);

        assertThat(disk.syncs()).isEqualTo(before + 2);
        assertThat(wordsOn(disk.powerLost())).hasSize(501);
        journal.close();
    }

    @Test
    void aFailedWriteFailsWhatWaitsAndHealsByItself() throws Exception {
        for (Part part : Part.values()) {
            for (int failing = 0; failing < 2; failing++) {
                FakeDirectory full = new FakeDirectory();
                Journal journal = open(full);
                Await.done(write(journal, "a"));
                int now = full.steps() + failing;
                full.failAt(step -> step >= now, part);

                assertThat(failure(write(journal, "b"))).contains("No space left on device");
                assertThat(journal.failureReason()).isPresent();
                assertThat(failure(write(journal, "c"))).contains("No space left on device");
                note(journal, "-a");
                full.heal();
                Polling.until("the failure ends", () -> journal.failureReason().isEmpty());

                Await.done(write(journal, "d"));
                assertThat(wordsOn(full.powerLost())).containsExactly("d");
                journal.close();
            }
        }
    }

    @Test
    void aFileThatWasRemovedConfirmsNothing() throws Exception {
        Journal journal = open(disk, 1 << 20, NO_RETRY);
        Await.done(write(journal, "a"));
        disk.remove(FILE);

        assertThat(failure(write(journal, "b"))).contains("removed while in use");
        assertThat(journal.failureReason()).isPresent();
        journal.close();
        assertThat(wordsOn(disk.powerLost())).containsExactly("a");
    }

    @Test
    void aFileThatWasRemovedIsMissedWithoutAWrite() throws Exception {
        Journal journal = open(disk);
        Await.done(write(journal, "a"));
        disk.remove(FILE);

        Polling.until("the file is written anew", () -> disk.has(FILE));
        Polling.until("the failure ends", () -> journal.failureReason().isEmpty());
        journal.close();
        assertThat(wordsOn(disk.powerLost())).containsExactly("a");
    }

    @Test
    void theEndMakesALastAttempt() throws Exception {
        Journal journal = open(disk, 1 << 20, NO_RETRY);
        Await.done(write(journal, "a"));
        disk.fill();
        assertThat(failure(write(journal, "b"))).contains("No space left on device");
        note(journal, "-a");
        disk.heal();
        journal.close();

        assertThat(wordsOn(disk.powerLost())).isEmpty();
    }

    @Test
    void aLongFileIsReplacedByASnapshot() throws Exception {
        Journal journal = open(disk, 2_000);
        Await.done(write(journal, "kept"));
        int largest = 0;
        for (int i = 0; i < 300; i++) {
            note(journal, "word-" + i);
            note(journal, "-word-" + i);
            Await.done(write(journal, "last"));
            largest = Math.max(largest, disk.content(FILE).length);
            if (i % 10 == 0) {
                assertThat(wordsOn(disk.powerLost())).containsExactly("kept", "last");
            }
        }
        assertThat(largest).isBetween(2_000, 3_000);
        assertThat(disk.has(FILE + ".new")).isFalse();
        journal.close();
    }

    @Test
    void aFileThatCannotBeShortenedIsStillWritten() throws Exception {
        Journal journal = open(disk, 100);
        int snapshot = disk.steps() + 2; // after the write and the sync of the record
        disk.failAt(step -> step >= snapshot && step < snapshot + 2, Part.NOTHING);
        Await.done(write(journal, "a".repeat(1_000)));
        Polling.until("the snapshot has failed", () -> disk.steps() > snapshot);
        disk.heal();

        Await.done(write(journal, "b"));
        assertThat(journal.failureReason()).isEmpty();
        journal.close();
        assertThat(wordsOn(disk.powerLost())).containsExactly("a".repeat(1_000), "b");
    }

    @Test
    void aStepThatFailsLosesNothingThatWasConfirmed() throws Exception {
        for (Part part : Part.values()) {
            for (int at = 0; at < 40; at++) {
                FakeDirectory full = new FakeDirectory();
                Journal journal = open(full, 100);
                int fails = full.steps() + at;
                full.failAt(step -> step == fails, part);
                List<String> confirmed = new ArrayList<>();
                for (int i = 0; i < 12; i++) {
                    Future<Void> write = write(journal, "word-" + i);
                    Await.completed(write);
                    if (write.succeeded()) {
                        confirmed.add("word-" + i);
                    }
                    assertThat(wordsOn(full.powerLost())).containsAll(confirmed);
                    assertThat(wordsOn(full.powerLostAfterNames())).containsAll(confirmed);
                    assertThat(wordsOn(full.killed())).containsAll(confirmed);
                }
                journal.close();
            }
        }
    }

    @Test
    void damageBeforeTheEndIsRefusedAndLeftAsItIs() throws Exception {
        Journal journal = open(disk);
        Await.done(write(journal, "a"));
        Await.done(write(journal, "b"));
        byte[] whole = disk.content(FILE);
        journal.close();

        FakeDirectory damaged = new FakeDirectory();
        byte[] wrong = whole.clone();
        wrong[whole.length - 70] ^= 1; // in the frame before the last
        damaged.put(FILE, wrong);
        assertThatIOException()
                .isThrownBy(() -> open(damaged))
                .withMessageContaining("damaged at byte")
                .withMessageContaining("move it away");
        assertThat(damaged.content(FILE)).isEqualTo(wrong);
        assertThat(damaged.steps()).isZero();
    }

    @Test
    void otherFilesAreToldFromDamage() {
        disk.put(FILE, "flockgate-journal 2 grants\n".getBytes(UTF_8));
        assertThatIOException().isThrownBy(() -> open(disk)).withMessageContaining("another version");
        disk.put(FILE, "{}".getBytes(UTF_8));
        assertThatIOException().isThrownBy(() -> open(disk)).withMessageContaining("does not begin");
    }

    @Test
    void closingMakesDurableWhatHasComeAndTakesNoMore() throws Exception {
        Journal journal = open(disk);
        note(journal, "a");
        journal.close();
        assertThat(wordsOn(disk.powerLost())).containsExactly("a");
        assertThat(disk.closes()).isPositive();
        assertThat(failure(write(journal, "b"))).contains("closed");
        assertThat(journal.failureReason()).isPresent();
    }
}
