package io.flockgate.storage.memory.roster;

import io.flockgate.options.Option;
import io.flockgate.options.OptionType;
import io.flockgate.options.OptionValues;
import io.flockgate.options.Rule;
import io.flockgate.roster.RosterProvider;
import io.flockgate.roster.RosterSettings;
import io.flockgate.roster.RosterStorage;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** Makes the rosters of {@code --storage memory} known: kept in the data directory, or volatile without one. */
public final class MemoryRosterProvider implements RosterProvider {
    /** Without it rosters are volatile. */
    public static final Option<Optional<Path>> DATA_DIR = Option.of(
            "data-dir",
            "FLOCKGATE_DATA_DIR",
            OptionType.FILE,
            "",
            Rule.any("a path"),
            "Directory in which the storage memory keeps what must survive a restart: who holds FleetLock's slots.");

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public Optional<String> missingToSurvive(OptionValues options) {
        return options.get(DATA_DIR).isPresent() ? Optional.empty() : Optional.of(DATA_DIR.dashed());
    }

    /** Reads the journal on a thread of its own. */
    @Override
    public Future<RosterStorage> open(RosterSettings settings) {
        Promise<RosterStorage> opened = Promise.promise();
        Thread opener =
                Thread.ofPlatform().name("flockgate-rosters-open").daemon().unstarted(() -> open(settings, opened));
        opener.start();
        return opened.future();
    }

    private static void open(RosterSettings settings, Promise<RosterStorage> opened) {
        try {
            MemoryRosters rosters = new MemoryRosters(
                    log(settings), settings.clock(), settings.gateway(), MemoryRosters.PATIENCE_MILLIS);
            rosters.start();
            opened.complete(rosters);
        } catch (IOException | RuntimeException e) {
            opened.fail(e);
        }
    }

    private static RosterLog log(RosterSettings settings) throws IOException {
        Optional<Path> directory = settings.options().get(DATA_DIR);
        return directory.isPresent()
                ? Journal.open(LockedDirectory.open(directory.get()), Journal.LEAST_TO_COMPACT)
                : new VolatileLog();
    }
}
