package io.flockgate.storage.memory.file;

import static org.assertj.core.api.Assertions.assertThatIOException;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LockedDirectoryTest {
    @Test
    void aDirectoryThatWasMovedOrReplacedIsNoticed(@TempDir Path root) throws Exception {
        Path path = root.resolve("data");
        try (LockedDirectory directory = LockedDirectory.open(path, "things")) {
            DataDirectory.File file = directory.create("things.journal");
            directory.check("things.journal", file);

            Files.move(path, root.resolve("away"));
            assertThatIOException().isThrownBy(directory::checkLock).withMessageContaining("removed while in use");

            try (LockedDirectory other = LockedDirectory.open(path, "things");
                    DataDirectory.File theirs = other.create("things.journal")) {
                other.check("things.journal", theirs);
                assertThatIOException().isThrownBy(directory::checkLock).withMessageContaining("replaced while in use");
            }
            file.close();
        }
    }

    @Test
    void aFileThatWasReplacedIsNoticed(@TempDir Path root) throws Exception {
        try (LockedDirectory directory = LockedDirectory.open(root, "things");
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
