package io.flockgate.storage.memory.journal;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.flockgate.storage.memory.journal.FakeDisk.Fate;
import io.flockgate.storage.memory.journal.JournalRecord.Ceiling;
import io.flockgate.storage.memory.journal.JournalRecord.End;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class FenceStateFileTest {
    @TempDir
    Path directory;

    private Path path() {
        return directory.resolve("fence");
    }

    @Test
    void theSlotsAreWrittenInTurnAlsoAfterARestart() throws IOException {
        try (FenceStateFile file = FenceStateFile.open(path())) {
            file.raise(100);
            assertThat(path()).hasBinaryContent(Records.slot(1, 100));
            file.raise(200);
            assertThat(path()).hasBinaryContent(Records.join(Records.slot(1, 100), Records.slot(2, 200)));
            file.raise(300);
        }

        assertThat(path()).hasBinaryContent(Records.join(Records.slot(3, 300), Records.slot(2, 200)));
        try (FenceStateFile file = FenceStateFile.open(path())) {
            assertThat(file.ceiling()).isEqualTo(300);
            file.raise(400);
        }
        assertThat(path()).hasBinaryContent(Records.join(Records.slot(3, 300), Records.slot(4, 400)));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 9, 31, 32, 64, 65, 4096})
    @DisplayName("MalformedRejected: garbage of any length but 0 and 8")
    void aMalformedFileIsRefusedAndNeitherTouchedNorLocked(int length) throws IOException {
        byte[] garbage = "g".repeat(length).getBytes(US_ASCII);
        Files.write(path(), garbage);

        assertThatIOException()
                .isThrownBy(() -> FenceStateFile.open(path()).close())
                .withMessageContaining(path().toString())
                .withMessageContaining("malformed");

        assertThat(path()).hasBinaryContent(garbage);
        Files.write(path(), new byte[0]);
        FenceStateFile.open(path()).close();
    }

    @Test
    @DisplayName("RecordReadIOErrorFailsClosed")
    void aReadErrorIsNotTakenForAnEmptyFile() {
        FakeDisk disk = FakeDisk.empty();
        disk.failReads();

        assertThatIOException()
                .isThrownBy(() -> FenceStateFile.open(disk).close())
                .withMessage("Input/output error");
        assertThat(disk.closes()).isEqualTo(1);
    }

    @Tag("process")
    @Test
    void aFlockOfAnotherProcessExcludesUs() throws Exception {
        Process holder = new ProcessBuilder("flock", path().toString(), "sh", "-c", "echo locked; cat").start();
        try (BufferedReader output = holder.inputReader(US_ASCII)) {
            assertThat(output.readLine()).isEqualTo("locked");

            assertThatIOException()
                    .isThrownBy(() -> FenceStateFile.open(path()).close())
                    .withMessageContaining("in use by another process");

            holder.getOutputStream().close();
            assertThat(holder.waitFor()).isZero();
            FenceStateFile.open(path()).close();
        } finally {
            holder.destroyForcibly();
        }
    }

    @Tag("process")
    @Test
    void ourLockExcludesAnotherProcess() throws Exception {
        try (FenceStateFile file = FenceStateFile.open(path())) {
            file.raise(100);
            assertThat(tryFlock()).isEqualTo(1);
        }

        assertThat(tryFlock()).isZero();
    }

    private int tryFlock() throws IOException, InterruptedException {
        return new ProcessBuilder("flock", "-n", path().toString(), "true")
                .start()
                .waitFor();
    }

    @Test
    void theLockIsOnTheFileThatIsWrittenEvenIfItIsMoved() throws IOException {
        Path moved = directory.resolve("moved");
        try (FenceStateFile file = FenceStateFile.open(path())) {
            Files.move(path(), moved);
            file.raise(100);
        }

        assertThat(moved).hasBinaryContent(Records.slot(1, 100));
        assertThat(path()).doesNotExist();
    }

    @Test
    void aNameInThePlatformsOwnEncodingIsLockedToo() throws IOException {
        Charset names = Charset.forName(System.getProperty("sun.jnu.encoding"));
        String word = names.newEncoder().canEncode("\u00fc") ? "z\u00e4un \u00fcber" : "in plain ASCII only";
        Path unusual = directory.resolve(word);
        try (FenceStateFile file = FenceStateFile.open(unusual)) {
            file.raise(100);
        }

        assertThat(unusual).hasBinaryContent(Records.slot(1, 100));
    }

    @Test
    void aMissingFileAndItsDirectoryAreMadeForTheirOwnerOnly() throws Exception {
        Path deep = directory.resolve("one").resolve("two").resolve("fence");
        try (FenceStateFile file = FenceStateFile.open(deep)) {
            assertThat(file.ceiling()).isZero();
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(deep)))
                .isEqualTo("rw-------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(deep.getParent())))
                .isEqualTo("rwx------");
    }

    @Test
    void aDirectoryThatCannotBeMadeIsToldInWords() throws Exception {
        Path file = Files.createFile(directory.resolve("file"));

        assertThatIOException()
                .isThrownBy(() -> FenceStateFile.open(file.resolve("fence")).close())
                .withMessage("cannot make the directory of %s/fence: a file of this name exists", file);
    }

    @Test
    void onlyARegularFileWillDo() {
        assertThatIOException()
                .isThrownBy(() -> FenceStateFile.open(Path.of("/dev/null")).close())
                .withMessage("cannot use /dev/null: not a regular file");
        assertThatIOException()
                .isThrownBy(() -> FenceStateFile.open(directory).close())
                .withMessageContaining(directory.toString());
    }

    @Test
    void theLastSequenceNumberIsNotPassed() throws IOException {
        FenceStateFile file = FenceStateFile.open(new FakeDisk(Records.slot(-1, 100)));

        assertThatIOException().isThrownBy(() -> file.raise(200)).withMessageContaining("sequence");
    }

    @Test
    void theCeilingNeverSinks() throws IOException {
        FakeDisk disk = new FakeDisk(Records.legacy(-5));
        FenceStateFile file = FenceStateFile.open(disk);

        file.append(List.of(new Ceiling(-5), new Ceiling(1), new End(-1)));

        assertThat(file.ceiling()).isEqualTo(-5);
        assertThat(disk.writes()).isZero();
    }

    /**
     * A raise that fails at any step, and then possibly a crash: a ceiling reported as durable is
     * never lost.
     */
    record Step(Fate fate, int bytesWritten, boolean crash, boolean unsyncedSurvives) {}

    @Provide
    Arbitrary<Step> steps() {
        return Combinators.combine(
                        Arbitraries.of(Fate.class),
                        Arbitraries.integers().between(0, 32),
                        Arbitraries.of(true, false),
                        Arbitraries.of(true, false))
                .as(Step::new);
    }

    @Property
    void theDurableCeilingSurvivesAnyFailureAndCrash(@ForAll List<@From("steps") Step> steps) throws IOException {
        FakeDisk disk = FakeDisk.empty();
        FenceStateFile file = FenceStateFile.open(disk);
        file.append(List.of(new JournalRecord.Ceiling(10)));
        long durable = 10;
        long next = 20;
        for (Step step : steps) {
            disk.fate(step.fate, step.bytesWritten);
            try {
                file.append(List.of(new JournalRecord.Ceiling(next)));
                durable = next;
            } catch (IOException e) {
                assertThat(step.fate).isNotEqualTo(Fate.WRITTEN);
            }
            if (step.crash) {
                disk = new FakeDisk(step.unsyncedSurvives ? disk.content() : disk.durable());
                file = FenceStateFile.open(disk);
                assertThat(file.ceiling()).isBetween(durable, next);
                durable = file.ceiling();
            }
            next += 10;
        }
    }
}
