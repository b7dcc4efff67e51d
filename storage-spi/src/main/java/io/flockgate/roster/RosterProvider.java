package io.flockgate.roster;

import io.flockgate.options.OptionValues;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.InstantSource;
import java.util.Optional;

/**
 * A kind of storage for rosters, found by {@link java.util.ServiceLoader}. Its options are those of
 * the {@link io.flockgate.storage.StorageProvider} of the same name.
 */
public interface RosterProvider {
    /**
     * The settings of a storage for rosters. Safe to print.
     *
     * @param vertx for storages that need timers or workers
     * @param clock the time of day, for operators; rules use it only to limit how often repeated
     *     requests of a member are stored
     * @param gateway this gateway's node name
     * @param options the options that the storage of the same name declares
     */
    record RosterSettings(Vertx vertx, InstantSource clock, String gateway, OptionValues options) {}

    /** The value of {@code --storage} that selects it. */
    String name();

    /** The flag without which the rosters do not survive a restart; empty if they survive. */
    default Optional<String> missingToSurvive(OptionValues options) {
        return Optional.empty();
    }

    /**
     * Opens a storage. If the settings cannot work, the future fails with a message for the
     * operator.
     */
    Future<RosterStorage> open(RosterSettings settings);
}
