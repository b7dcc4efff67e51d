package io.flockgate.storage.memory.roster;

import io.flockgate.options.OptionValues;
import io.flockgate.roster.RosterProvider;
import io.flockgate.roster.RosterProvider.RosterSettings;
import io.flockgate.roster.RosterStorage;
import io.flockgate.roster.RosterStore;
import io.flockgate.storage.memory.file.DataDirectory;
import io.flockgate.storage.memory.file.LockedDirectory;
import io.flockgate.storage.memory.roster.FileRosters.VolatileRosters;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

/**
 * Provides the rosters of {@code --storage memory}: kept in the data directory, or volatile without
 * one.
 */
public final class MemoryRosterProvider implements RosterProvider {
    @Override
    public String name() {
        return "memory";
    }

    @Override
    public Optional<String> missingToSurvive(OptionValues options) {
        return options.get(DataDirectory.DATA_DIR).isPresent()
                ? Optional.empty()
                : Optional.of(DataDirectory.DATA_DIR.dashed());
    }

    /** Reads the files on the thread of the rosters. */
    @Override
    public Future<RosterStorage> open(RosterSettings settings) {
        Promise<RosterStorage> opened = Promise.promise();
        Executor worker = Executors.newSingleThreadExecutor(
                Thread.ofPlatform().name("flockgate-rosters").daemon().factory());
        worker.execute(() -> {
            try {
                opened.complete(new RosterStorage(store(settings), settings, worker));
            } catch (IOException | RuntimeException e) {
                opened.fail(e);
            }
        });
        return opened.future();
    }

    private static RosterStore store(RosterSettings settings) throws IOException {
        Optional<Path> directory = settings.options().get(DataDirectory.DATA_DIR);
        return directory.isPresent()
                ? FileRosters.open(LockedDirectory.open(directory.get().resolve(FileRosters.LOCK), FileRosters.LOCK))
                : new VolatileRosters();
    }
}
