package io.flockgate.storage.memory.roster;

import io.flockgate.roster.RosterStorage;
import io.flockgate.roster.RosterStore;
import io.flockgate.roster.tck.RosterHarness;
import io.flockgate.storage.memory.file.FakeDirectory;
import io.flockgate.storage.memory.roster.FileRosters.VolatileRosters;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;

/** Opens volatile rosters, or some on a disk of their own, where a crash leaves what is durable. */
final class MemoryRosterHarness extends RosterHarness {
    private final boolean durable;
    private FakeDirectory disk = new FakeDirectory();

    MemoryRosterHarness(boolean durable) {
        this.durable = durable;
    }

    @Override
    public RosterStorage open() {
        try {
            RosterStore store = durable ? FileRosters.open(disk) : new VolatileRosters();
            return Rosters.open(store, this::now, RosterStorage.PATIENCE_MILLIS);
        } catch (IOException e) {
            throw new UncheckedIOException("not opened", e);
        }
    }

    @Override
    public Optional<RosterStorage> reopen(RosterStorage crashed) {
        if (!durable) {
            return Optional.empty();
        }
        disk = disk.powerLost();
        return Optional.of(open());
    }
}
