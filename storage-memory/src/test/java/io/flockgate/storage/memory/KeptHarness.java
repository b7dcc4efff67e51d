package io.flockgate.storage.memory;

import io.flockgate.storage.LockStorage;
import io.flockgate.storage.memory.file.FakeDirectory;
import io.flockgate.storage.memory.journal.DurableStates;
import io.flockgate.storage.tck.Limits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * As {@link MemoryHarness}, with a journal on a disk in memory. The grants of all claimants are
 * kept.
 */
final class KeptHarness extends MemoryHarness {
    private final Map<LockStorage, FakeDirectory> disks = new ConcurrentHashMap<>();
    private final UnaryOperator<FakeDirectory> crash;
    private Limits limits = Limits.AMPLE;

    /**
     * @param crash maps a disk to what is left of it
     */
    KeptHarness(UnaryOperator<FakeDirectory> crash) {
        this.crash = crash;
    }

    @Override
    public LockStorage open(Limits wanted) {
        limits = wanted;
        return open(new FakeDirectory());
    }

    MemoryStorage open(FakeDirectory disk) {
        try {
            MemoryStorage storage = new MemoryStorage(settings(limits), DurableStates.on(disk));
            storage.restore(0);
            disks.put(storage, disk);
            return opened(storage);
        } catch (IOException e) {
            throw new UncheckedIOException("not opened", e);
        }
    }

    FakeDirectory disk(LockStorage storage) {
        FakeDirectory disk = disks.get(storage);
        if (disk == null) {
            throw new AssertionError("not opened here");
        }
        return disk;
    }

    @Override
    public Optional<LockStorage> successor(LockStorage killed) {
        return Optional.of(open(crash.apply(disk(killed))));
    }

    @Override
    public byte @Nullable [] memo(long id) {
        return ("client-" + id).getBytes(StandardCharsets.UTF_8);
    }
}
