package io.flockgate.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.flockgate.text.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReloadedFilesTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    @TempDir
    private Path directory;

    private final List<String> seen = new ArrayList<>();
    private final ReloadedFiles.Observer<String> observer = new ReloadedFiles.Observer<>() {
        @Override
        public void reloaded(String value) {
            seen.add(value);
        }

        @Override
        public void unusable(Exception failure) {
            seen.add("unusable: " + Reason.of(failure));
        }
    };
    private Path file;
    private int reads;
    private int changes;
    private boolean broken;

    @BeforeEach
    void write() throws IOException {
        file = directory.resolve("file");
        write("first");
    }

    private void write(String text) throws IOException {
        Files.writeString(file, text);
        // Simulates the passing of time, because some file systems have coarse timestamps.
        changes++;
        Files.setLastModifiedTime(file, FileTime.fromMillis(1_000L * changes));
    }

    private String read() throws IOException {
        reads++;
        String text = Files.readString(file);
        if (broken || text.isEmpty()) {
            throw new IllegalArgumentException("nothing in it");
        }
        return text;
    }

    private ReloadedFiles<String> open() throws IOException {
        return ReloadedFiles.read(List.of(file), this::read, observer, 0);
    }

    @Test
    void aChangeIsReadAtTheNextCheckAndAnUnchangedFileIsNot() throws IOException {
        ReloadedFiles<String> files = open();
        files.check();
        assertThat(reads).isEqualTo(1);
        write("second");
        assertThat(files.value()).isEqualTo("first");
        files.check();
        assertThat(files.value()).isEqualTo("second");
        assertThat(seen).containsExactly("second");
    }

    @Test
    void theCurrentValueIsCheckedAtMostOnceASecondUnlessItIsDistrusted() throws IOException {
        ReloadedFiles<String> files = open();
        write("second");
        assertThat(files.current(SECOND - 1)).isEqualTo("first");
        assertThat(files.current(SECOND)).isEqualTo("second");
        write("third");
        assertThat(files.current(2 * SECOND - 1)).isEqualTo("second");
        files.distrust();
        assertThat(files.current(2 * SECOND - 1)).isEqualTo("third");
    }

    @Test
    void theLastValueStaysAndEachVersionIsReportedOnce() throws IOException {
        ReloadedFiles<String> files = open();
        write("");
        files.check();
        files.check();
        assertThat(files.value()).isEqualTo("first");
        assertThat(seen).containsExactly("unusable: nothing in it");
        write("");
        files.check();
        assertThat(seen).hasSize(2);
        Files.delete(file);
        files.check();
        files.check();
        assertThat(seen).hasSize(3).last().isEqualTo("unusable: no such file or directory");
        write("first");
        files.check();
        assertThat(seen).hasSize(4).last().isEqualTo("first");
    }

    @Test
    void afterAFailureTheSameVersionIsTriedAgain() throws IOException {
        ReloadedFiles<String> files = open();
        write("second");
        broken = true;
        files.check();
        assertThat(files.value()).isEqualTo("first");
        broken = false;
        files.check();
        assertThat(files.value()).isEqualTo("second");
    }

    @Test
    void aFileThatCannotBeUsedAtTheStartIsAnError() throws IOException {
        Files.delete(file);
        assertThatIOException().isThrownBy(this::open);
        assertThat(seen).isEmpty();
    }

    @Test
    void theFirstCheckAfterAValueThatWasReadBeforeReadsTheFiles() throws IOException {
        ReloadedFiles<String> files = ReloadedFiles.after("before", List.of(file), this::read, observer);
        assertThat(files.value()).isEqualTo("before");
        files.check();
        assertThat(files.value()).isEqualTo("first");
    }
}
