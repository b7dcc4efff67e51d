package io.flockgate.storage.consul.key;

import io.flockgate.storage.StorageException;
import io.flockgate.storage.consul.api.ConsulException;

/** What is told when Consul could not do its part. */
public final class StorageExceptions {
    private StorageExceptions() {}

    static StorageException of(ConsulException e) {
        StorageException.Effect effect = switch (e.effect()) {
            case NOT_DONE -> StorageException.Effect.NOT_DONE;
            case UNKNOWN -> StorageException.Effect.UNKNOWN;
        };
        return new StorageException(
                StorageException.FailureKind.UNAVAILABLE, effect, String.valueOf(e.getMessage()), e);
    }

    static StorageException unexpected(Throwable e) {
        return new StorageException(
                StorageException.FailureKind.UNAVAILABLE, StorageException.Effect.UNKNOWN, "unexpected failure", e);
    }

    /** Its time was up before its turn came: those in front were waiting for Consul. */
    static StorageException late() {
        return new StorageException(
                StorageException.FailureKind.UNAVAILABLE,
                StorageException.Effect.NOT_DONE,
                "Consul has not answered what was asked before");
    }

    /** For calls that come after the end. */
    public static StorageException closed() {
        return new StorageException(
                StorageException.FailureKind.CLOSED, StorageException.Effect.NOT_DONE, "the storage is closed");
    }
}
