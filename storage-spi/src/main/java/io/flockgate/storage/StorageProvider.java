package io.flockgate.storage;

import io.vertx.core.Future;

/** One kind of storage, found by {@link java.util.ServiceLoader}. */
public interface StorageProvider {
    /** Its name as a value of {@code --storage}. */
    String name();

    /** Opens a storage. Settings that cannot work fail the future with a message for the operator. */
    Future<LockStorage> open(StorageSettings settings);
}
