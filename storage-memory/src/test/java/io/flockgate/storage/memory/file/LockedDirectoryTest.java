package io.flockgate.storage.memory.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LockedDirectoryTest {
    @TempDir
    private Path root;

    private static LockedDirectory open(Path path) throws IOException {
        return LockedDirectory.open(path, "things");
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void isMadeForItsOwnerOnly() throws IOException {
        Path parent = root.resolve("made");
        Path path = parent.resolve("data");
        try (LockedDirectory directory = open(path);
                DataDirectory.File unused = directory.create("things.journal")) {
            assertThat(mode(parent)).isEqualTo("rwx------");
            assertThat(mode(path)).isEqualTo("rwx------");
            assertThat(mode(path.resolve("things.journal"))).isEqualTo("rw-------");
            assertThat(mode(path.resolve("things.lock"))).isEqualTo("rw-------");
        }
    }

    @Test
    void isRefusedWhereItIsNone() throws IOException {
        Path file = Files.createFile(root.resolve("file"));

        for (Path none : new Path[] {file, file.resolve("below")}) {
            assertThatIOException().isThrownBy(() -> open(none)).withMessageContaining(none.toString());
        }
    }

    @Test
    void isRefusedWhereItCannotBeWritten() throws IOException {
        Files.createDirectories(root.resolve("things.lock"));

        assertThatIOException()
                .isThrownBy(() -> open(root))
                .withMessageStartingWith("cannot use the data directory " + root + ": ")
                .withMessageNotContaining("things.lock");
    }

    @Test
    void hasRoomForOneOpenerAtATime() throws IOException {
        try (LockedDirectory first = open(root)) {
            assertThatIOException()
                    .isThrownBy(() -> open(root))
                    .withMessageContaining(root.toString())
                    .withMessageContaining("in use by another process");
            first.checkLock();
        }
        open(root).close();
    }

    @Test
    void isMissedOnceItWasMovedOrReplaced() throws IOException {
        Path path = root.resolve("data");
        try (LockedDirectory directory = open(path)) {
            DataDirectory.File file = directory.create("things.journal");
            directory.check("things.journal", file);

            Files.move(path, root.resolve("away"));
            assertThatIOException().isThrownBy(directory::checkLock).withMessageContaining("removed while in use");

            try (LockedDirectory other = open(path);
                    DataDirectory.File theirs = other.create("things.journal")) {
                other.check("things.journal", theirs);
                assertThatIOException().isThrownBy(directory::checkLock).withMessageContaining("replaced while in use");
            }
            file.close();
        }
    }

    @Test
    void aFileThatWasReplacedIsNoticed() throws IOException {
        try (LockedDirectory directory = open(root);
                DataDirectory.File file = directory.create("things.journal");
                DataDirectory.File other = directory.create("other")) {
            directory.rename("other", "things.journal");

            directory.check("things.journal", other);
            assertThatIOException()
                    .isThrownBy(() -> directory.check("things.journal", file))
                    .withMessageContaining("things.journal was replaced while in use");
        }
    }
}
