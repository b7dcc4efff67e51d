package io.flockgate.storage.tck;

import io.flockgate.storage.Key;
import io.flockgate.storage.LockStorage;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Opens {@link DistantStorage}s, for which time really passes, as for a storage on other machines.
 */
final class DistantHarness implements StorageHarness {
    private final ScheduledExecutorService network = Executors.newScheduledThreadPool(4);

    @Override
    public LockStorage open(Limits limits) {
        PlainStorage storage = new PlainStorage(Fault.NONE, limits, System::nanoTime);
        Future<?> unused = network.scheduleAtFixedRate(storage::workOff, 0, 5, TimeUnit.MILLISECONDS);
        return new DistantStorage(storage, network);
    }

    @Override
    public void pass(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public long holdersBeside(LockStorage storage, Key key) {
        return ((DistantStorage) storage).storage().count(key, true);
    }

    @Override
    public long waitersBeside(LockStorage storage, Key key) {
        return ((DistantStorage) storage).storage().count(key, false);
    }

    @Override
    public int many() {
        return 100;
    }

    @Override
    public void close() {
        network.shutdownNow();
    }
}
