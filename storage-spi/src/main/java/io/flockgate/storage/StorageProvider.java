package io.flockgate.storage;

import io.flockgate.options.Option;
import io.flockgate.options.Option.Secret;
import io.flockgate.options.OptionType;
import io.flockgate.options.OptionValues;
import io.flockgate.options.Rule;
import io.vertx.core.Future;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * One kind of storage, found by {@link java.util.ServiceLoader}. Every start of the gateway reads
 * its name and its options, even if another storage is used, so creating the provider and its
 * options must be cheap.
 */
public interface StorageProvider {
    /** The option of storages that can remember fences in a file. */
    Option<Optional<Path>> FENCE_STATE_FILE = Option.of(
                    "fence-state-file", "DFLOCKD_FENCE_STATE_FILE", OptionType.FILE, "", Rule.any("a path"))
            .help("File that keeps fences rising over restarts, whatever the clock does. Created when missing.");

    /** The value of {@code --storage} that selects this storage. */
    String name();

    /**
     * The options of this storage, in the order in which the help lists them. Two storages may
     * share an equal option. All other options need their own flags and variables.
     */
    default List<Option<?>> options() {
        return List.of();
    }

    /** The secrets among the options. */
    default List<Secret> secrets() {
        return List.of();
    }

    /**
     * An error message for values that are valid individually but not together; empty when they are
     * valid. Opens nothing.
     */
    default Optional<String> violation(OptionValues values) {
        return Optional.empty();
    }

    /**
     * Opens a storage. The future fails with a message for the operator if the settings cannot
     * work.
     */
    Future<LockStorage> open(StorageSettings settings);
}
