package io.flockgate.storage.memory;

import io.flockgate.options.Option;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.StorageProvider;
import io.flockgate.storage.StorageSettings;
import io.flockgate.storage.memory.file.DataDirectory;
import io.flockgate.storage.memory.journal.DurableState;
import io.flockgate.storage.memory.journal.FenceCounter;
import io.vertx.core.Future;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Opens the storage of {@code --storage memory}: the only place that creates its threads and reads
 * the wall clock for it.
 */
public final class MemoryStorageProvider implements StorageProvider {
    @Override
    public String name() {
        return "memory";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(DataDirectory.DATA_DIR, FENCE_STATE_FILE);
    }

    @Override
    public Future<LockStorage> open(StorageSettings settings) {
        try {
            Optional<Path> directory = settings.options().get(DataDirectory.DATA_DIR);
            Optional<Path> stateFile = settings.options().get(FENCE_STATE_FILE);
            return Future.succeededFuture(
                    directory.isEmpty() && stateFile.isEmpty()
                            ? started(new MemoryStorage(settings, FenceCounter.inMemory(clockNanos())))
                            : durable(settings, DurableState.open(directory, stateFile, clockNanos())));
        } catch (IOException e) {
            return Future.failedFuture(e);
        }
    }

    private static MemoryStorage durable(StorageSettings settings, DurableState state) throws IOException {
        try {
            MemoryStorage storage = new MemoryStorage(settings, state);
            storage.restore(System.currentTimeMillis());
            return started(storage);
        } catch (IOException | RuntimeException e) {
            state.close();
            throw e;
        }
    }

    private static MemoryStorage started(MemoryStorage storage) {
        storage.start(Thread.ofPlatform().daemon().name("flockgate-leases").factory());
        return storage;
    }

    private static long clockNanos() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000_000L + now.getNano();
    }
}
