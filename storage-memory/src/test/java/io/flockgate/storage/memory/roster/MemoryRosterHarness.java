package io.flockgate.storage.memory.roster;

import io.flockgate.roster.RosterStorage;
import io.flockgate.roster.RosterStore;
import io.flockgate.roster.tck.RosterHarness;
import io.flockgate.storage.memory.file.LockedDirectory;
import io.flockgate.storage.memory.roster.FileRosters.VolatileRosters;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Opens rosters in their own directory, or volatile ones. After a crash it opens a copy of the
 * files.
 */
final class MemoryRosterHarness extends RosterHarness {
    private final Path root;
    private final boolean durable;
    private int directories;

    MemoryRosterHarness(boolean durable) {
        this.durable = durable;
        try {
            root = Files.createTempDirectory("rosters");
        } catch (IOException e) {
            throw new UncheckedIOException("no directory", e);
        }
    }

    @Override
    public RosterStorage open() {
        try {
            RosterStore store = durable
                    ? FileRosters.open(LockedDirectory.open(directory(), FileRosters.LOCK))
                    : new VolatileRosters();
            return Rosters.open(store, this::now, RosterStorage.PATIENCE_MILLIS);
        } catch (IOException e) {
            throw new UncheckedIOException("not opened", e);
        }
    }

    private Path directory() {
        return root.resolve("life-" + directories);
    }

    @Override
    public Optional<RosterStorage> reopen(RosterStorage crashed) {
        if (!durable) {
            return Optional.empty();
        }
        Path left = directory();
        directories++;
        try (Stream<Path> files = Files.list(left)) {
            Files.createDirectory(directory());
            for (Path file : files.toList()) {
                Files.copy(file, directory().resolve(file.getFileName()));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("not copied", e);
        }
        return Optional.of(open());
    }

    @Override
    public void close() {
        try (Stream<Path> files = Files.walk(root)) {
            for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("not deleted", e);
        }
    }
}
