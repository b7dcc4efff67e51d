package io.flockgate.storage.memory;

import io.flockgate.options.Option;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.StorageProvider;
import io.flockgate.storage.StorageSettings;
import io.flockgate.storage.memory.fence.MemoryTokenGenerator;
import io.flockgate.storage.memory.roster.MemoryRosterProvider;
import io.flockgate.text.Reason;
import io.vertx.core.Future;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens the storage of {@code --storage memory}: the one place where its threads and its wall-clock time come from. */
public final class MemoryStorageProvider implements StorageProvider {
    @Override
    public String name() {
        return "memory";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(MemoryRosterProvider.DATA_DIR);
    }

    @Override
    public Future<LockStorage> open(StorageSettings settings) {
        try {
            MemoryTokenGenerator tokens = tokens(settings);
            MemoryStorage storage = new MemoryStorage(settings, tokens, tokens::failureReason, () -> close(tokens));
            storage.start(daemons("flockgate-leases"));
            return Future.succeededFuture(storage);
        } catch (IOException e) {
            return Future.failedFuture(e);
        }
    }

    private static ThreadFactory daemons(String name) {
        return Thread.ofPlatform().daemon().name(name).factory();
    }

    private static MemoryTokenGenerator tokens(StorageSettings settings) throws IOException {
        Instant now = Instant.now();
        long clockNanos = now.getEpochSecond() * 1_000_000_000L + now.getNano();
        ThreadFactory threads = daemons("flockgate-fence");
        return settings.fenceStateFile().isPresent()
                ? MemoryTokenGenerator.open(settings.fenceStateFile().get(), clockNanos, threads)
                : MemoryTokenGenerator.inMemory(clockNanos, threads);
    }

    /** Closes the token generator. A failure to close its state file loses nothing: the ceiling is durable already. */
    private static void close(MemoryTokenGenerator tokens) {
        try {
            tokens.close();
        } catch (IOException e) {
            log().atWarn().addKeyValue("err", Reason.of(e)).log("fence state file not closed cleanly");
        }
    }

    /** Not a field: every start makes this provider, and {@code --help} needs no log. */
    private static Logger log() {
        return LoggerFactory.getLogger(MemoryStorageProvider.class);
    }
}
