package io.flockgate.roster;

import io.flockgate.options.OptionValues;
import io.vertx.core.Future;
import java.util.Optional;

/**
 * One kind of storage for rosters, found by {@link java.util.ServiceLoader}. Its options are those of the {@link
 * io.flockgate.storage.StorageProvider} of the same name.
 */
public interface RosterProvider {
    /** The name that {@code --storage} gives it. */
    String name();

    /** The flag that is missing for the rosters to survive a restart; empty where they survive. */
    default Optional<String> missingToSurvive(OptionValues options) {
        return Optional.empty();
    }

    /** Opens a storage. Settings that cannot work fail the future with a message for the operator. */
    Future<RosterStorage> open(RosterSettings settings);
}
