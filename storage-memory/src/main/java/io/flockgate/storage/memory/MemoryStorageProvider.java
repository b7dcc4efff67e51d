package io.flockgate.storage.memory;

import io.flockgate.storage.LockStorage;
import io.flockgate.storage.StorageProvider;
import io.flockgate.storage.StorageSettings;
import io.flockgate.storage.rules.Mint;
import io.vertx.core.Future;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** Makes {@code --storage memory} known. */
public final class MemoryStorageProvider implements StorageProvider {
    @Override
    public String name() {
        return "memory";
    }

    @Override
    public Future<LockStorage> open(StorageSettings settings) {
        AtomicLong fences = new AtomicLong(System.currentTimeMillis() * 1_000_000);
        SecureRandom random = new SecureRandom();
        Mint mint = new Mint() {
            @Override
            public long nextFence() {
                return fences.incrementAndGet();
            }

            @Override
            public long nextSalt() {
                return random.nextLong();
            }
        };
        MemoryStorage storage = new MemoryStorage(settings, System::nanoTime, mint, Optional::empty, () -> {});
        storage.start();
        return Future.succeededFuture(storage);
    }
}
