package io.flockgate.storage.consul.key;

import io.flockgate.storage.StorageException;
import io.flockgate.storage.consul.kv.ConsulException;

/** The exceptions of calls that failed in the Consul storage. */
public final class StorageExceptions {
    private StorageExceptions() {}

    public static StorageException of(ConsulException e) {
        return new StorageException(
                StorageException.FailureKind.UNAVAILABLE, e.effect(), String.valueOf(e.getMessage()), e);
    }

    public static StorageException unexpected(Throwable e) {
        return new StorageException(
                StorageException.FailureKind.UNAVAILABLE, StorageException.Effect.UNKNOWN, "unexpected failure", e);
    }

    /** The deadline passed before the call began, because earlier calls were waiting for Consul. */
    static StorageException late() {
        return new StorageException(
                StorageException.FailureKind.UNAVAILABLE,
                StorageException.Effect.NOT_DONE,
                "Consul has not answered the calls before this one");
    }

    /** The storage was closed before the call. */
    public static StorageException closed() {
        return new StorageException(
                StorageException.FailureKind.CLOSED, StorageException.Effect.NOT_DONE, "the storage is closed");
    }
}
