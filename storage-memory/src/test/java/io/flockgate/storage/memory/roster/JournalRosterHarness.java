package io.flockgate.storage.memory.roster;

import io.flockgate.roster.RosterStorage;
import io.flockgate.roster.tck.RosterHarness;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;

/** Rosters with a journal in a directory of their own. A crash leaves the files as they are: what is opened then is a copy. */
final class JournalRosterHarness implements RosterHarness {
    private final Path root;
    private final boolean durable;
    private int directories;
    private volatile Instant now = Instant.parse("2026-03-01T12:00:00.123456789Z");

    JournalRosterHarness(boolean durable) {
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
            RosterLog log = durable
                    ? Journal.open(LockedDirectory.open(directory()), Journal.LEAST_TO_COMPACT)
                    : new VolatileLog();
            MemoryRosters rosters = new MemoryRosters(log, () -> now, gateway(), MemoryRosters.PATIENCE_MILLIS);
            rosters.start();
            return rosters;
        } catch (IOException e) {
            throw new UncheckedIOException("not opened", e);
        }
    }

    private Path directory() {
        return root.resolve("life-" + directories);
    }

    @Override
    public String gateway() {
        return "node-1";
    }

    @Override
    public Instant now() {
        return now;
    }

    @Override
    public synchronized void pass(Duration time) {
        now = now.plus(time);
    }

    @Override
    public Optional<RosterStorage> reopen(RosterStorage crashed) {
        if (!durable) {
            return Optional.empty();
        }
        Path left = directory().resolve(Journal.NAME);
        directories++;
        try {
            Files.createDirectory(directory());
            Files.copy(left, directory().resolve(Journal.NAME));
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
