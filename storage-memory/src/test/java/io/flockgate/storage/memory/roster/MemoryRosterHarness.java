package io.flockgate.storage.memory.roster;

import io.flockgate.roster.RosterStorage;
import io.flockgate.roster.tck.RosterHarness;
import io.flockgate.storage.memory.file.LockedDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Opens rosters in their own directory, or volatile ones. After a crash it opens a copy of the
 * file.
 */
final class MemoryRosterHarness extends RosterHarness {
    private static final String FILE = "fleetlock.journal";

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
                    ? RosterJournal.open(LockedDirectory.open(directory(), RosterJournal.KIND))
                    : new VolatileStore();
            return Rosters.open(store, this::now, MemoryRosters.PATIENCE_MILLIS);
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
        Path left = directory().resolve(FILE);
        directories++;
        try {
            Files.createDirectory(directory());
            Files.copy(left, directory().resolve(FILE));
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
