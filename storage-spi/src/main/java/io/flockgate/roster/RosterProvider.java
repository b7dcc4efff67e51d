package io.flockgate.roster;

import io.flockgate.options.OptionValues;
import io.vertx.core.Future;
import java.util.Optional;

/**
 * A kind of storage for rosters, found by {@link java.util.ServiceLoader}. Its options are those of
 * the {@link io.flockgate.storage.StorageProvider} of the same name.
 */
public interface RosterProvider {
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
