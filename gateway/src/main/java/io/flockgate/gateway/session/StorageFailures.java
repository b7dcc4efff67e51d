package io.flockgate.gateway.session;

import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageException.FailureKind;
import io.vertx.core.Future;
import java.util.function.Supplier;

/**
 * Turns every failure of a storage into a {@link StorageException}, as the contract requires.
 * Thread safe.
 */
public final class StorageFailures {
    private StorageFailures() {}

    /**
     * Calls the storage. An exception that it throws in breach of its contract becomes a failed
     * future.
     */
    public static <T> Future<T> call(Supplier<Future<T>> call) {
        try {
            return call.get();
        } catch (RuntimeException e) {
            return Future.failedFuture(of(e));
        }
    }

    /** Any other exception means a broken storage, whose effect is unknown. */
    public static StorageException of(Throwable cause) {
        return cause instanceof StorageException failure
                ? failure
                : new StorageException(
                        FailureKind.UNAVAILABLE, Effect.UNKNOWN, "the storage failed unexpectedly", cause);
    }
}
