package io.flockgate.storage.memory;

import io.flockgate.storage.LockStorage;
import io.flockgate.storage.StorageProvider;
import io.flockgate.storage.StorageSettings;
import io.flockgate.storage.memory.fence.MemoryTokenGenerator;
import io.vertx.core.Future;
import java.io.IOException;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes {@code --storage memory} known. */
public final class MemoryStorageProvider implements StorageProvider {
    private static final Logger LOG = LoggerFactory.getLogger(MemoryStorageProvider.class);

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public Future<LockStorage> open(StorageSettings settings) {
        try {
            MemoryTokenGenerator tokens = tokens(settings);
            MemoryStorage storage = new MemoryStorage(settings, tokens, tokens::failureReason, () -> close(tokens));
            storage.start();
            return Future.succeededFuture(storage);
        } catch (IOException e) {
            return Future.failedFuture(e);
        }
    }

    private static MemoryTokenGenerator tokens(StorageSettings settings) throws IOException {
        Instant now = Instant.now();
        long clockNanos = now.getEpochSecond() * 1_000_000_000L + now.getNano();
        return settings.fenceStateFile().isPresent()
                ? MemoryTokenGenerator.open(settings.fenceStateFile().get(), clockNanos)
                : MemoryTokenGenerator.inMemory(clockNanos);
    }

    /** What a state file says is on disk already: a failure to close it loses nothing. */
    private static void close(MemoryTokenGenerator tokens) {
        try {
            tokens.close();
        } catch (IOException e) {
            LOG.atWarn().addKeyValue("err", e.toString()).log("fence state file not closed cleanly");
        }
    }
}
