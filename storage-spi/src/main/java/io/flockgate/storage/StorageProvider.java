package io.flockgate.storage;

import io.flockgate.options.Option;
import io.flockgate.options.OptionValues;
import io.flockgate.options.Secret;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;

/**
 * One kind of storage, found by {@link java.util.ServiceLoader}. Every start asks for its name and its options, also where
 * another storage is used: making the provider and its options must be cheap.
 */
public interface StorageProvider {
    /** The name that {@code --storage} gives it. */
    String name();

    /**
     * The options of this storage, in the order in which the help lists them. Another storage may have an equal option; no
     * other option may have the same flag or variable.
     */
    default List<Option<?>> options() {
        return List.of();
    }

    /** The secrets among the options. */
    default List<Secret> secrets() {
        return List.of();
    }

    /**
     * The complaint about values that fulfil the rules of their options but do not fit together; empty when they do. Opens
     * nothing.
     */
    default Optional<String> complaint(OptionValues values) {
        return Optional.empty();
    }

    /** Opens a storage. Settings that cannot work fail the future with a message for the operator. */
    Future<LockStorage> open(StorageSettings settings);
}
