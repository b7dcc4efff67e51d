package io.flockgate.roster;

import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * What every storage for rosters is told when it is opened.
 *
 * @param vertx for those that need timers or workers
 * @param clock tells people when members joined; nothing is decided by it
 * @param gateway this gateway's node name
 * @param dataDir where what must survive is kept by a storage that has no other place; empty to keep it in the process only
 * @param options settings of one storage only, by flag name without dashes: those that were given and those that have a
 *     default, checked as text; may hold secrets
 */
public record RosterSettings(
        Vertx vertx, InstantSource clock, String gateway, Optional<Path> dataDir, Map<String, String> options) {
    public RosterSettings {
        options = Map.copyOf(options);
    }

    /** Without the options' values, some of which are secrets. */
    @Override
    public String toString() {
        return "RosterSettings[gateway=" + gateway + ", dataDir=" + dataDir + ", options="
                + new TreeSet<>(options.keySet()) + "]";
    }
}
