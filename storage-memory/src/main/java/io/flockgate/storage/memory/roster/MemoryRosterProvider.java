package io.flockgate.storage.memory.roster;

import io.flockgate.options.OptionValues;
import io.flockgate.roster.RosterProvider;
import io.flockgate.roster.RosterProvider.RosterSettings;
import io.flockgate.roster.RosterStorage;
import io.flockgate.roster.support.RosterStore;
import io.flockgate.roster.support.SerialRosters;
import io.flockgate.roster.support.SerialRosters.RosterRuntime;
import io.flockgate.storage.memory.file.DataDirectory;
import io.flockgate.storage.memory.file.LockedDirectory;
import io.flockgate.storage.memory.roster.FileRosters.VolatileRosters;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

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
        Executor worker = worker();
        worker.execute(() -> {
            try {
                opened.complete(open(settings, worker));
            } catch (IOException | RuntimeException e) {
                opened.fail(e);
            }
        });
        return opened.future();
    }

    /** One daemon thread, which ends when it has had no work for a while. */
    private static Executor worker() {
        return new ThreadPoolExecutor(
                0,
                1,
                10,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                Thread.ofPlatform().name("flockgate-rosters").daemon().factory());
    }

    private static RosterStorage open(RosterSettings settings, Executor worker) throws IOException {
        RosterRuntime runtime =
                new RosterRuntime(settings.clock(), timer(settings.vertx()), worker, settings.gateway());
        return new SerialRosters(store(settings), runtime, SerialRosters.PATIENCE_MILLIS);
    }

    private static RosterRuntime.Timer timer(Vertx vertx) {
        return (nanos, task) -> {
            long id = vertx.setTimer(Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos)), fired -> task.run());
            return () -> vertx.cancelTimer(id);
        };
    }

    private static RosterStore store(RosterSettings settings) throws IOException {
        Optional<Path> directory = settings.options().get(DataDirectory.DATA_DIR);
        return directory.isPresent()
                ? FileRosters.open(LockedDirectory.open(directory.get().resolve(FileRosters.LOCK), FileRosters.LOCK))
                : new VolatileRosters();
    }
}
