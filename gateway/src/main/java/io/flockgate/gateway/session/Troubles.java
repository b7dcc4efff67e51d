package io.flockgate.gateway.session;

import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageException.Trouble;

/** Failures of a storage's futures as what they are promised to be. */
final class Troubles {
    private Troubles() {}

    /** A storage that fails in any other way is broken, and nothing is known of what it did. */
    static StorageException of(Throwable cause) {
        return cause instanceof StorageException trouble
                ? trouble
                : new StorageException(Trouble.UNAVAILABLE, Effect.UNKNOWN, "the storage failed unexpectedly", cause);
    }
}
