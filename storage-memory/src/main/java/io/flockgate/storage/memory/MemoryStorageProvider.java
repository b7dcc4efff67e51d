package io.flockgate.storage.memory;

import io.flockgate.options.Option;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.StorageProvider;
import io.flockgate.storage.StorageSettings;
import io.flockgate.storage.memory.fence.CeilingStore;
import io.flockgate.storage.memory.fence.MemoryTokenGenerator;
import io.flockgate.storage.memory.file.DataDirOption;
import io.flockgate.storage.memory.kept.KeptGrants;
import io.flockgate.text.Reason;
import io.vertx.core.Future;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the storage of {@code --storage memory}: the only place that creates its threads and reads
 * the wall clock for it.
 */
public final class MemoryStorageProvider implements StorageProvider {
    private static final String LEASE_THREAD = "flockgate-leases";
    private static final String FENCE_THREAD = "flockgate-fence";

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(DataDirOption.DATA_DIR);
    }

    @Override
    public Future<LockStorage> open(StorageSettings settings) {
        try {
            Optional<Path> directory = settings.options().get(DataDirOption.DATA_DIR);
            return Future.succeededFuture(
                    directory.isPresent() ? kept(settings, directory.get()) : forgetful(settings));
        } catch (IOException e) {
            return Future.failedFuture(e);
        }
    }

    private static MemoryStorage forgetful(StorageSettings settings) throws IOException {
        MemoryTokenGenerator tokens = settings.fenceStateFile().isPresent()
                ? MemoryTokenGenerator.open(settings.fenceStateFile().get(), clockNanos(), daemons(FENCE_THREAD))
                : MemoryTokenGenerator.inMemory(clockNanos());
        MemoryStorage storage = new MemoryStorage(settings, tokens, tokens::failureReason, () -> close(tokens));
        storage.start(daemons(LEASE_THREAD));
        return storage;
    }

    /** A storage whose grants and fences outlive the process. */
    private static MemoryStorage kept(StorageSettings settings, Path directory) throws IOException {
        KeptGrants grants = KeptGrants.open(directory);
        try {
            MemoryTokenGenerator tokens =
                    MemoryTokenGenerator.over(ceilings(settings, grants), clockNanos(), daemons(FENCE_THREAD));
            return kept(settings, tokens, grants);
        } catch (IOException | RuntimeException e) {
            grants.close();
            throw e;
        }
    }

    private static MemoryStorage kept(StorageSettings settings, MemoryTokenGenerator tokens, KeptGrants grants)
            throws IOException {
        try {
            MemoryStorage storage =
                    new MemoryStorage(settings, tokens, tokens::failureReason, () -> close(tokens), grants);
            storage.restore(System.currentTimeMillis());
            storage.start(daemons(LEASE_THREAD));
            return storage;
        } catch (IOException | RuntimeException e) {
            close(tokens);
            throw e;
        }
    }

    /** A fence state file configured in addition to the directory is also kept up to date. */
    private static CeilingStore ceilings(StorageSettings settings, KeptGrants grants) throws IOException {
        Optional<Path> file = settings.fenceStateFile();
        return file.isPresent() ? MemoryTokenGenerator.file(file.get()).and(grants.ceilings()) : grants.ceilings();
    }

    private static long clockNanos() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000_000L + now.getNano();
    }

    private static ThreadFactory daemons(String name) {
        return Thread.ofPlatform().daemon().name(name).factory();
    }

    /**
     * Closes the token generator. A failure to close its state file loses nothing, because the
     * ceiling is already durable.
     */
    private static void close(MemoryTokenGenerator tokens) {
        try {
            tokens.close();
        } catch (IOException e) {
            log().atWarn().addKeyValue("err", Reason.of(e)).log("fence state file not closed cleanly");
        }
    }

    /** Not a field, because every start creates this provider, and {@code --help} needs no log. */
    private static Logger log() {
        return LoggerFactory.getLogger(MemoryStorageProvider.class);
    }
}
