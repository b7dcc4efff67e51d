package io.flockgate.storage.tck;

import io.flockgate.storage.LockStorage;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** A harness of storages with a clock that jumps. A storage does its due work after each jump. */
public abstract class SimulatedHarness<S extends LockStorage> implements StorageHarness {
    private final AtomicLong clock;
    private final Consumer<S> dueWork;
    private final List<S> storages = new CopyOnWriteArrayList<>();

    /**
     * Creates a harness without storages.
     *
     * @param start the initial time of the clock in nanoseconds
     * @param dueWork does the due work of a storage
     */
    protected SimulatedHarness(long start, Consumer<S> dueWork) {
        this.clock = new AtomicLong(start);
        this.dueWork = dueWork;
    }

    /** The time of the clock. */
    protected final long nanoTime() {
        return clock.get();
    }

    /** Adds an open storage. */
    protected final S opened(S storage) {
        storages.add(storage);
        return storage;
    }

    @Override
    public void pass(Duration time) {
        passUnnoticed(time);
        storages.forEach(dueWork);
    }

    @Override
    public void passUnnoticed(Duration time) {
        clock.addAndGet(time.toNanos());
    }

    @Override
    public Duration grain() {
        return Duration.ofNanos(1);
    }
}
