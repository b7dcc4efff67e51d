package io.flockgate.storage.tck;

import io.flockgate.storage.Key;
import io.flockgate.storage.LockStorage;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/** Opens {@link PlainStorage}s on a clock that jumps. */
final class PlainHarness implements StorageHarness {
    /** Far enough on for the longest lease to wrap. */
    private final AtomicLong clock = new AtomicLong(1_000_000_000_000L);

    private final List<PlainStorage> storages = new CopyOnWriteArrayList<>();
    private final Fault fault;

    PlainHarness(Fault fault) {
        this.fault = fault;
    }

    @Override
    public LockStorage open(Limits limits) {
        PlainStorage storage = new PlainStorage(fault, limits, clock::get);
        storages.add(storage);
        return storage;
    }

    @Override
    public void pass(Duration time) {
        passUnnoticed(time);
        storages.forEach(PlainStorage::workOff);
    }

    @Override
    public void passUnnoticed(Duration time) {
        clock.addAndGet(time.toNanos());
    }

    @Override
    public Duration grain() {
        return Duration.ofNanos(1);
    }

    @Override
    public Duration longTime() {
        return Duration.ofDays(365 * 200);
    }

    @Override
    public long holdersBeside(LockStorage storage, Key key) {
        return ((PlainStorage) storage).count(key, true);
    }

    @Override
    public long waitersBeside(LockStorage storage, Key key) {
        return ((PlainStorage) storage).count(key, false);
    }
}
