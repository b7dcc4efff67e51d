package io.flockgate.storage.tck;

import io.flockgate.storage.Key;
import io.flockgate.storage.LockStorage;
import java.time.Duration;

/** Opens {@link PlainStorage}s on a clock that jumps. */
final class PlainHarness extends SimulatedHarness<PlainStorage> {
    /** Late enough for the longest lease to wrap. */
    private static final long START = 1_000_000_000_000L;

    private final Fault fault;

    PlainHarness(Fault fault) {
        super(START, PlainStorage::workOff);
        this.fault = fault;
    }

    @Override
    public LockStorage open(Limits limits) {
        return opened(new PlainStorage(fault, limits, this::nanoTime));
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
